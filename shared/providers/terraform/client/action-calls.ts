import { readDeferral, readDiagnostics, toWireValue } from './convert-messages.ts'
import { callTerraform, type ClientContext, streamTerraform } from './terraform-calls.ts'
import type { TerraformClient } from './terraform-client.ts'

/** Creates the calls of actions. */
export function createActionCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<TerraformClient, 'validateActionConfig' | 'planAction' | 'invokeAction'> {
  return {
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
