import {
  readDiagnostics,
  readDynamicValue,
  readIdentity,
  toOptionalWireValue,
  toWireValue,
} from './convert-messages.ts'
import { callTerraform, type ClientContext, streamTerraform } from './terraform-calls.ts'
import type { TerraformClient } from './terraform-client.ts'

/** Creates the calls that list resources. */
export function createListCalls({
  connection,
  methods,
}: ClientContext): Pick<TerraformClient, 'validateListResourceConfig' | 'listResource'> {
  return {
    async validateListResourceConfig({ typeName, config, includeResourceObject, limit }) {
      const { diagnostics } = await callTerraform(connection, methods.validateListResourceConfig, {
        typeName,
        config: toWireValue(config),
        includeResourceObject: toOptionalWireValue(includeResourceObject),
        limit: toOptionalWireValue(limit),
      })
      return { diagnostics: readDiagnostics(diagnostics) }
    },
    async *listResource({ config, ...options }) {
      const request = { ...options, config: toWireValue(config) }
      for await (const event of streamTerraform(connection, methods.listResource, request))
        yield {
          identity: readIdentity(event.identity),
          displayName: event.displayName,
          resourceObject: readDynamicValue(event.resourceObject),
          diagnostics: readDiagnostics(event.diagnostic),
        }
    },
  }
}
