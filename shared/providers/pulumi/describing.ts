import {
  GetMappingRequest,
  GetMappingsRequest,
  GetSchemaRequest,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Describing } from '../describing.ts'
import { ask, isUnimplemented, type Session } from './session.ts'

/** What a provider says of itself. Source: docs/spec/provider-protocol.md#getschema, 8.12. */
export function describing(session: Session): Describing {
  return {
    async schema({ name, version }) {
      const subpackage = { subpackageName: name, subpackageVersion: version }
      const request = GetSchemaRequest.create({ version: 0, ...subpackage })
      return (await ask(session, service.getSchema, { request })).schema
    },
    async mappings(ecosystem) {
      const request = GetMappingsRequest.create({ key: ecosystem })
      const answer = ask(session, service.getMappings, { request })
      return (await answer.catch(otherwise({ providers: [] }))).providers
    },
    async mapping({ ecosystem, provider }) {
      const request = GetMappingRequest.create({ key: ecosystem, provider })
      const answer = ask(session, service.getMapping, { request })
      return answer.catch(otherwise({ provider: '', data: new Uint8Array() }))
    },
  }
}

/** Who has no such call has nothing to say. */
function otherwise<T>(nothing: T): (thrown: unknown) => T {
  return thrown => {
    if (isUnimplemented(thrown)) return nothing
    throw thrown
  }
}
