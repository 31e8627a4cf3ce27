import type { PropertyMap } from '../../values/value.ts'
import type { Provider } from '../provider.ts'
import { checkedResourceName, identityOfType, type ProviderContext } from './check-context.ts'
import type { CheckedSchema } from './checked-schema.ts'
import { PreconditionError } from './contract.ts'
import { limitCallTimes } from './limit-call-times.ts'
import type { OpenedProvider, ProviderOpener } from './opened-provider.ts'

/** The provider of a check. The session can start it again after a crash. */
export interface CheckSession {
  readonly context: ProviderContext
  /** Starts the provider, and returns its description. */
  readonly start: () => Promise<string>
  /** Records that the provider is configured, so that `restore` configures a new process too. */
  readonly setConfigured: () => void
  /** Starts the provider again if its process ended or does not respond. */
  readonly restore: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Creates a session. `open` starts its provider. */
export function createCheckSession(
  open: ProviderOpener,
  options: { readonly providerInputs: PropertyMap; readonly callTimeoutMs: number },
): CheckSession {
  let opened: OpenedProvider | undefined
  let provider: Provider | undefined
  let schema: CheckedSchema | undefined
  let isConfigured = false
  const start = async (): Promise<string> => {
    opened = await open()
    provider = limitCallTimes(opened.provider, options.callTimeoutMs)
    return opened.description
  }
  return {
    context: {
      getOpenedProvider: () => requireStarted(opened),
      getProvider: () => requireStarted(provider),
      providerInputs: options.providerInputs,
      getSchema: () => schema,
      setSchema(firstSchema) {
        schema = firstSchema
      },
    },
    start,
    setConfigured() {
      isConfigured = true
    },
    async restore() {
      if (provider === undefined || !provider.hasEnded()) return
      await opened?.close()
      await start()
      if (!isConfigured) return
      const { pkg, configure } = requireStarted(provider)
      const identity = identityOfType(`pulumi:providers:${pkg}`)
      await configure({ ...identity, id: checkedResourceName, inputs: options.providerInputs })
    },
    close: async () => opened?.close(),
  }
}

function requireStarted<T>(started: T | undefined): T {
  if (started === undefined) throw new PreconditionError('handshake')
  return started
}
