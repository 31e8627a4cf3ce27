import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import {
  ErrorHookRequest,
  ErrorHookResponse,
  type RegisterErrorHookRequest,
  type RegisterResourceHookRequest,
  ResourceHookRequest,
  ResourceHookResponse,
} from '../../../proto/gen/pulumi/resource.ts'
import { error, messageOf } from '../../errors/error.ts'
import type { HookMoment, ProgramHooks } from '../hooks.ts'
import type { Callbacks } from './callbacks.ts'
import { toErrorHookRequest, toHookRequest } from './hook-request.ts'

/**
 * The hooks of one generator run, by name. They exist in the program, which registers them again in
 * each run.
 */
export interface Hooks extends ProgramHooks {
  /**
   * Makes lookups of unknown names wait until the program registers them or `until` resolves.
   * Otherwise an unknown name is an error at once.
   */
  readonly awaitNames: (until: Promise<unknown>) => void
  readonly handlers: {
    readonly registerResourceHook: (request: RegisterResourceHookRequest) => Promise<object>
    readonly registerErrorHook: (request: RegisterErrorHookRequest) => Promise<object>
  }
}

interface Hook {
  readonly callback: Callback
  readonly onDryRun: boolean
  readonly ignoreErrors: boolean
  readonly isForErrors: boolean
}

/** Finds a hook of one kind by its name. */
type Find = (name: string, isForErrors: boolean) => Promise<Hook | undefined>

/**
 * Creates an empty set of hooks. Source: docs/spec/monitor.md#resourcemonitor,
 * docs/spec/step-execution.md#hooks.
 */
export function createHooks(connection: Callbacks): Hooks {
  let activeCalls = 0
  const callbacks: Pick<Callbacks, 'invoke'> = {
    invoke(...args) {
      activeCalls += 1
      return connection.invoke(...args).finally(() => {
        activeCalls -= 1
      })
    },
  }
  const hooksByName = new Map<string, Hook>()
  const waiting = new Map<string, PromiseWithResolvers<void>>()
  const running = new Set<Promise<unknown>>()
  let until: Promise<unknown> | undefined
  const add = (name: string, hook: Omit<Hook, 'callback'>, callback: Callback | undefined) => {
    if (name === '') throw error('RESOURCE_INVALID', 'resource hook name cannot be empty')
    if (hooksByName.has(name))
      throw error('RESOURCE_INVALID', `resource hook already registered for name "${name}"`)
    if (callback === undefined)
      throw error('RESOURCE_INVALID', `resource hook "${name}" has no callback`)
    hooksByName.set(name, { ...hook, callback })
    waiting.get(name)?.resolve()
  }
  const find = async (name: string, isForErrors: boolean): Promise<Hook | undefined> => {
    if (!hooksByName.has(name) && until !== undefined) {
      const wait = waiting.get(name) ?? Promise.withResolvers<void>()
      waiting.set(name, wait)
      await Promise.race([wait.promise, until])
    }
    const found = hooksByName.get(name)
    return found?.isForErrors === isForErrors ? found : undefined
  }
  return {
    run: moment => runRegisteredHooks(callbacks, moment, find),
    requestRetry: (moment, failed) => requestErrorRetries(callbacks, { moment, failed }, find),
    track(work) {
      const done = work.finally(() => running.delete(done))
      running.add(done)
      done.catch(() => undefined)
      return done
    },
    isBusy: () => activeCalls > 0,
    async waitUntilSettled() {
      while (running.size > 0) await Promise.allSettled([...running])
    },
    awaitNames(end) {
      until = end
    },
    handlers: {
      async registerResourceHook({ name, callback, onDryRun, ignoreErrors }) {
        add(name, { onDryRun, ignoreErrors, isForErrors: false }, callback)
        return {}
      },
      async registerErrorHook({ name, callback }) {
        add(name, { onDryRun: true, ignoreErrors: false, isForErrors: true }, callback)
        return {}
      },
    },
  }
}

async function runRegisteredHooks(
  callbacks: Pick<Callbacks, 'invoke'>,
  moment: HookMoment,
  find: Find,
): ReturnType<ProgramHooks['run']> {
  const warnings: string[] = []
  const { hook: type, names, isPreview } = moment
  for (const name of names) {
    const hook = await find(name, false)
    if (hook === undefined) return { error: `hook "${name}" was not registered`, warnings }
    if (isPreview && !hook.onDryRun) continue
    const { callback } = hook
    const request = toHookRequest(moment, callback.acceptsByteString)
    const answer = await callHook(async () =>
      ResourceHookResponse.decode(
        await callbacks.invoke(callback, ResourceHookRequest.encode(request).finish()),
      ),
    )
    if (answer.error === '') continue
    if (hook.ignoreErrors) warnings.push(`${type} hook "${name}" failed: ${answer.error}`)
    else {
      const when = type.startsWith('Before') ? 'before' : 'after'
      return { error: `${when} hook "${name}" failed: ${answer.error}`, warnings }
    }
  }
  return { error: undefined, warnings }
}

/** Calls every error hook, including those after one that requests a retry. */
async function requestErrorRetries(
  callbacks: Pick<Callbacks, 'invoke'>,
  input: {
    readonly moment: HookMoment
    readonly failed: Parameters<ProgramHooks['requestRetry']>[1]
  },
  find: Find,
): ReturnType<ProgramHooks['requestRetry']> {
  const { moment, failed } = input
  let retry = false
  for (const name of moment.names) {
    const hook = await find(name, true)
    if (hook === undefined)
      return { retry: false, error: `error hook "${name}" was not registered` }
    const { callback } = hook
    const request = toErrorHookRequest(moment, failed, callback.acceptsByteString)
    const answer = await callHook(async () =>
      ErrorHookResponse.decode(
        await callbacks.invoke(callback, ErrorHookRequest.encode(request).finish()),
      ),
    )
    if (answer.error !== '')
      return { retry: false, error: `error hook "${name}" failed: ${answer.error}` }
    if (answer.retry) retry = true
  }
  return { retry, error: undefined }
}

/**
 * Returns the response of a hook. A hook that throws or is unreachable has failed with that error.
 */
async function callHook<T extends { readonly error: string }>(
  call: () => Promise<T>,
): Promise<T | { readonly error: string; readonly retry: false }> {
  try {
    return await call()
  } catch (thrown) {
    return { error: messageOf(thrown) || 'the hook could not be called', retry: false }
  }
}
