/**
 * pulumi: the driver of providers that speak pulumirpc. Imports ports, values and plugins.
 *
 * Invariants: what a provider may see follows from what it said (negotiation.ts, options.ts);
 * secrets that it cannot keep are marked again by name; a call is made at most once; whatever fails
 * on the way is a `ProviderError` that says whether the provider has acted.
 */
import { ResourceProviderService as service } from '../../../proto/gen/pulumi/provider.ts'
import type { Connection } from '../plugins/connect.ts'
import type { Provider } from '../provider.ts'
import { check, diff } from './check-diff.ts'
import { checkConfig, configure, diffConfig } from './config.ts'
import { parameterize } from './parameterize.ts'
import { construct } from './construct.ts'
import { create, read, remove, update } from './crud.ts'
import { describing } from './describing.ts'
import { call, invoke } from './functions.ts'
import type { Abilities } from './negotiation.ts'
import { createSession, type DriverSettings } from './session.ts'

/** What a driver needs. `greeted`: what the handshake gave, undefined where there is none. */
export interface DriverDeps {
  readonly connection: Connection
  readonly pkg: string
  readonly version: string
  readonly greeted: Abilities | undefined
  readonly settings: DriverSettings
  readonly close: () => Promise<void>
  readonly isGone: () => boolean
}

/** A provider over a connection that has been shaken hands on. */
export function createPulumiProvider(deps: DriverDeps): Provider {
  const session = createSession(deps)
  return {
    pkg: deps.pkg,
    version: deps.version,
    isUnconfigured: session.isUnconfigured,
    isGone: deps.isGone,
    checkConfig: asked => checkConfig(session, asked),
    diffConfig: asked => diffConfig(session, asked),
    parameterize: asked => parameterize(session, asked),
    configure: asked => configure(session, asked),
    check: asked => check(session, asked),
    diff: asked => diff(session, asked),
    create: asked => create(session, asked),
    read: asked => read(session, asked),
    update: asked => update(session, asked),
    delete: asked => remove(session, asked),
    invoke: asked => invoke(session, asked),
    call: asked => call(session, asked),
    construct: asked => construct(session, asked),
    describe: describing(session),
    async cancel() {
      // Whether a provider heeds it, and has it at all, changes nothing for the caller.
      await deps.connection.call(service.cancel, {}).catch(() => {})
    },
    close: deps.close,
  }
}
