/**
 * terraform/client: starts Terraform providers and calls them in both protocols, 5 and 6. Imports
 * `providers/plugins` and the layers below it. Values stay encoded: `terraform/values` has their
 * codecs.
 *
 * Invariants:
 * 1. A call to apply a change is never cancelled, because its response has the state.
 * 2. If a provider reports a problem, the client returns it as a diagnostic and throws no error.
 * 3. Output of a provider never blocks its calls. The secrets in a line are removed before any use.
 */
import { createActionCalls } from './action-calls.ts'
import { createEphemeralCalls } from './ephemeral-calls.ts'
import type { ProtocolMajor } from './handshake.ts'
import { createListCalls } from './list-calls.ts'
import { getProtocolMethods } from './protocol-methods.ts'
import { createResourceCalls } from './resource-calls.ts'
import { createProviderCalls } from './provider-calls.ts'
import type { TerraformClient } from './terraform-client.ts'
import type { ClientContext, TerraformConnection } from './terraform-calls.ts'

/**
 * Creates the client of a connected provider. With `isDeferralAllowed`, the provider may defer a
 * change to a later apply.
 */
export function createTerraformClient(
  connection: TerraformConnection,
  options: { readonly protocol: ProtocolMajor; readonly isDeferralAllowed: boolean },
): TerraformClient {
  const context: ClientContext = {
    connection,
    methods: getProtocolMethods(options.protocol),
    clientCapabilities: {
      deferralAllowed: options.isDeferralAllowed,
      writeOnlyAttributesAllowed: true,
    },
  }
  return {
    protocol: options.protocol,
    ...createProviderCalls(context),
    ...createResourceCalls(context),
    ...createEphemeralCalls(context),
    ...createActionCalls(context),
    ...createListCalls(context),
  }
}
