// Types for packages without types, as far as the tests use them.

declare module "express4" {
  import express from "express"
  export default express
}

declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

  export interface Grant {
    addOIDCScope(scope: string): void
    addOIDCClaims(claims: readonly string[]): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface KoaContextWithOIDC {
    oidc: {
      provider: Provider
      client: { clientId: string }
      session: { accountId: string; grantIdFor(clientId: string): string | undefined }
      requestParamOIDCScopes: Set<string>
      requestParamClaims: Set<string>
      requestParamScopes: Set<string>
      resourceServers?: Record<string, unknown>
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    readonly Grant: {
      new (properties: { clientId: string; accountId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    callback(): RequestListener
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<{ uid: string; prompt: { name: string } }>
    interactionFinished(
      req: IncomingMessage,
      res: ServerResponse,
      result: Record<string, unknown>,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<void>
  }

  export default Provider
}

declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  export interface MemoryAdapter {
    upsert(id: string, payload: object, expiresIn?: number): Promise<void>
  }
  export function createMemoryAdapter(clockTolerance?: number): (model: string) => MemoryAdapter
}
