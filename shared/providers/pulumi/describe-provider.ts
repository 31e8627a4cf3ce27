import {
  GetMappingRequest,
  GetMappingsRequest,
  GetSchemaRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import type { ProviderDescription } from '../provider-description.ts'
import { callProvider, isUnimplemented, type ProviderSession } from './provider-session.ts'

/**
 * Creates the self-description of a provider. Source: docs/spec/provider-protocol.md#getschema,
 * docs/spec/provider-protocol.md#getmapping.
 */
export function createDescription(session: ProviderSession): ProviderDescription {
  return {
    async getSchema({ name, version }) {
      const subpackage = { subpackageName: name, subpackageVersion: version }
      const request = GetSchemaRequest.create({ version: 0, ...subpackage })
      return (await callProvider(session, service.getSchema, { request })).schema
    },
    async listMappings(ecosystem) {
      const request = GetMappingsRequest.create({ key: ecosystem })
      const pendingResponse = callProvider(session, service.getMappings, { request })
      return (await pendingResponse.catch(createFallback({ providers: [] }))).providers
    },
    async getMapping({ ecosystem, provider }) {
      const request = GetMappingRequest.create({ key: ecosystem, provider })
      const pendingResponse = callProvider(session, service.getMapping, { request })
      return pendingResponse.catch(createFallback({ provider: '', data: new Uint8Array() }))
    },
  }
}

/**
 * Creates a rejection handler of a call. The handler returns `fallback` if the provider does not
 * implement the call, and throws any other error again.
 */
function createFallback<T>(fallback: T): (thrown: unknown) => T {
  return thrown => {
    if (isUnimplemented(thrown)) return fallback
    throw thrown
  }
}
