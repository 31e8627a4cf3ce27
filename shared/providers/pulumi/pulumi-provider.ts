/**
 * pulumi: the driver of providers that use pulumirpc. Imports ports, values and plugins.
 *
 * Invariants: the negotiated capabilities determine the values that a provider receives
 * (negotiation.ts, transfer-options.ts). A provider without secret support returns plain values.
 * The driver marks a returned value as secret if its property was sent as a secret. A call is made
 * at most once. A failed call throws `ProviderError`, whose status says whether the provider has
 * acted.
 */
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import type { Connection } from '../plugins/connection.ts'
import type { Provider } from '../provider.ts'
import { callCheck, callDiff } from './check-diff.ts'
import { callCheckConfig, configureProvider, callDiffConfig } from './configure.ts'
import { callParameterize, callParameterizeByArguments } from './parameterize.ts'
import { callConstruct } from './construct.ts'
import { callCreate, callRead, callDelete, callUpdate } from './crud.ts'
import { createDescription } from './describe-provider.ts'
import { callProviderMethod, callInvoke } from './invoke-and-call.ts'
import type { ProviderCapabilities } from './negotiation.ts'
import { createProviderSession, type DriverSettings } from './provider-session.ts'

/**
 * Dependencies of a driver. `handshakeCapabilities`: the result of the handshake. Undefined for a
 * provider that does not support the handshake.
 */
export interface DriverDeps {
  readonly connection: Connection
  readonly pkg: string
  readonly version: string
  readonly handshakeCapabilities: ProviderCapabilities | undefined
  readonly settings: DriverSettings
  readonly close: () => Promise<void>
  readonly hasEnded: () => boolean
}

/** Creates a provider over a connection after its handshake. */
export function createPulumiProvider(deps: DriverDeps): Provider {
  const session = createProviderSession(deps)
  return {
    pkg: deps.pkg,
    version: deps.version,
    isUnconfigured: session.isUnconfigured,
    hasEnded: deps.hasEnded,
    checkConfig: input => callCheckConfig(session, input),
    diffConfig: input => callDiffConfig(session, input),
    parameterize: input => callParameterize(session, input),
    parameterizeByArguments: args => callParameterizeByArguments(session, args),
    configure: input => configureProvider(session, input),
    check: input => callCheck(session, input),
    diff: input => callDiff(session, input),
    create: input => callCreate(session, input),
    read: input => callRead(session, input),
    update: input => callUpdate(session, input),
    delete: input => callDelete(session, input),
    invoke: input => callInvoke(session, input),
    call: input => callProviderMethod(session, input),
    construct: input => callConstruct(session, input),
    describe: createDescription(session),
    async cancel() {
      // The result does not matter: the provider may ignore the request or not implement it.
      await deps.connection.call(service.cancel, {}).catch(() => {})
    },
    close: deps.close,
  }
}
