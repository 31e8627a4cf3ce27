import {
  readDeferral,
  readDiagnostics,
  readIdentity,
  readDynamicValue,
  toOptionalWireValue,
  toWireValue,
} from './read-response.ts'
import { callTerraform, type ClientContext, streamTerraform } from './terraform-calls.ts'
import type { TerraformClient } from './terraform-client.ts'

/** Creates the calls of actions and of resources that can be listed. */
export function createActionCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<
  TerraformClient,
  | 'validateListResourceConfig'
  | 'listResource'
  | 'validateActionConfig'
  | 'planAction'
  | 'invokeAction'
> {
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
    async validateActionConfig({ actionType, config }) {
      const request = { actionType, config: toWireValue(config) }
      const response = await callTerraform(connection, methods.validateActionConfig, request)
      return { diagnostics: readDiagnostics(response.diagnostics) }
    },
    async planAction({ actionType, config }) {
      const request = { actionType, config: toWireValue(config), clientCapabilities }
      const response = await callTerraform(connection, methods.planAction, request)
      return {
        deferralReason: readDeferral(response.deferred),
        diagnostics: readDiagnostics(response.diagnostics),
      }
    },
    async *invokeAction({ actionType, config }) {
      const request = { actionType, config: toWireValue(config), clientCapabilities }
      for await (const { type } of streamTerraform(connection, methods.invokeAction, request)) {
        if (type?.$case === 'progress') yield { kind: 'progress', message: type.value.message }
        if (type?.$case === 'completed')
          yield { kind: 'completed', diagnostics: readDiagnostics(type.value.diagnostics) }
      }
    },
  }
}
