import { readDeferral, readDiagnostics, readDynamicValue, toWireValue } from './convert-messages.ts'
import { callTerraform, type ClientContext } from './terraform-calls.ts'
import type { EphemeralRenewal, TerraformClient } from './terraform-client.ts'
import type { RenewEphemeralResource_Response } from '../../../../proto/gen/terraform/tfplugin6.ts'

/** Creates the calls of ephemeral resources. */
export function createEphemeralCalls({
  connection,
  methods,
  clientCapabilities,
}: ClientContext): Pick<
  TerraformClient,
  | 'validateEphemeralResourceConfig'
  | 'openEphemeralResource'
  | 'renewEphemeralResource'
  | 'closeEphemeralResource'
> {
  return {
    async validateEphemeralResourceConfig({ typeName, config }) {
      const method = methods.validateEphemeralResourceConfig
      const request = { typeName, config: toWireValue(config) }
      const { diagnostics } = await callTerraform(connection, method, request)
      return { diagnostics: readDiagnostics(diagnostics) }
    },
    async openEphemeralResource({ typeName, config }) {
      const request = { typeName, config: toWireValue(config), clientCapabilities }
      const response = await callTerraform(connection, methods.openEphemeralResource, request)
      return {
        ...readRenewal(response),
        result: readDynamicValue(response.result),
        deferralReason: readDeferral(response.deferred),
      }
    },
    async renewEphemeralResource(request) {
      return readRenewal(await callTerraform(connection, methods.renewEphemeralResource, request))
    },
    async closeEphemeralResource(request) {
      const method = methods.closeEphemeralResource
      const { diagnostics } = await callTerraform(connection, method, request)
      return { diagnostics: readDiagnostics(diagnostics) }
    },
  }
}

function readRenewal({ renewAt, ...response }: RenewEphemeralResource_Response): EphemeralRenewal {
  return {
    renewAtMs: renewAt?.getTime(),
    private: response.private,
    diagnostics: readDiagnostics(response.diagnostics),
  }
}
