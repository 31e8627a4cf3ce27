/**
 * pulumi: the driver of providers that speak pulumirpc. Imports ports, values and plugins.
 *
 * Invariants: what a provider may see follows from what it said (negotiation.ts, options.ts);
 * secrets that it cannot keep are marked again by name; a call is made at most once; whatever fails
 * on the way is a `ProviderError` that says whether the provider has acted.
 */
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import type { Connection } from '../plugins/connection.ts'
import type { Provider } from '../provider.ts'
import { callCheck, callDiff } from './check-diff.ts'
import { callCheckConfig, configureProvider, callDiffConfig } from './configure.ts'
import { callParameterize } from './parameterize.ts'
import { callConstruct } from './construct.ts'
import { callCreate, callRead, callDelete, callUpdate } from './crud.ts'
import { createDescription } from './describe-provider.ts'
import { callProviderMethod, callInvoke } from './functions.ts'
import type { Abilities } from './negotiation.ts'
import { createProviderSession, type DriverSettings } from './provider-session.ts'

/** What a driver needs. `greeted`: what the handshake gave, undefined where there is none. */
export interface DriverDeps {
  readonly connection: Connection
  readonly pkg: string
  readonly version: string
  readonly negotiated: Abilities | undefined
  readonly settings: DriverSettings
  readonly close: () => Promise<void>
  readonly isGone: () => boolean
}

/** A provider over a connection that has been shaken hands on. */
export function createPulumiProvider(deps: DriverDeps): Provider {
  const session = createProviderSession(deps)
  return {
    pkg: deps.pkg,
    version: deps.version,
    isUnconfigured: session.isUnconfigured,
    isGone: deps.isGone,
    checkConfig: input => callCheckConfig(session, input),
    diffConfig: input => callDiffConfig(session, input),
    parameterize: input => callParameterize(session, input),
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
      // Whether a provider heeds it, and has it at all, changes nothing for the caller.
      await deps.connection.call(service.cancel, {}).catch(() => {})
    },
    close: deps.close,
  }
}
