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
import { errorHookRequest, hookRequest } from './hook-request.ts'

/** The hooks of one life, by name: they live in the program, and each life hears of them anew. */
export interface Hooks extends ProgramHooks {
  /**
   * The program may yet register what is asked for: it is waited for until `until`. Else a name
   * that is not known is an error at once.
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

/** Looks a hook of one kind up by its name. */
type Find = (name: string, isForErrors: boolean) => Promise<Hook | undefined>

/** No hook yet. Source: docs/spec/monitor.md#resourcemonitor, docs/spec/step-execution.md#hooks. */
export function createHooks(given: Callbacks): Hooks {
  let asking = 0
  const callbacks: Pick<Callbacks, 'invoke'> = {
    invoke(...asked) {
      asking += 1
      return given.invoke(...asked).finally(() => {
        asking -= 1
      })
    },
  }
  const known = new Map<string, Hook>()
  const waiting = new Map<string, PromiseWithResolvers<void>>()
  const running = new Set<Promise<unknown>>()
  let until: Promise<unknown> | undefined
  const add = (name: string, hook: Omit<Hook, 'callback'>, callback: Callback | undefined) => {
    if (name === '') throw error('RESOURCE_INVALID', 'resource hook name cannot be empty')
    if (known.has(name))
      throw error('RESOURCE_INVALID', `resource hook already registered for name "${name}"`)
    if (callback === undefined)
      throw error('RESOURCE_INVALID', `resource hook "${name}" has no callback`)
    known.set(name, { ...hook, callback })
    waiting.get(name)?.resolve()
  }
  const find = async (name: string, isForErrors: boolean): Promise<Hook | undefined> => {
    if (!known.has(name) && until !== undefined) {
      const wait = waiting.get(name) ?? Promise.withResolvers<void>()
      waiting.set(name, wait)
      await Promise.race([wait.promise, until])
    }
    const found = known.get(name)
    return found?.isForErrors === isForErrors ? found : undefined
  }
  return {
    run: moment => runAll(callbacks, moment, find),
    askRetry: (moment, failed) => askAll(callbacks, { moment, failed }, find),
    track(work) {
      const done = work.finally(() => running.delete(done))
      running.add(done)
      done.catch(() => undefined)
      return done
    },
    isBusy: () => asking > 0,
    async settled() {
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

async function runAll(
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
    const asked = hookRequest(moment, callback.acceptsByteString)
    const answer = await answerOf(async () =>
      ResourceHookResponse.decode(
        await callbacks.invoke(callback, ResourceHookRequest.encode(asked).finish()),
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

/** Asks every error hook, also after one that wants another try. */
async function askAll(
  callbacks: Pick<Callbacks, 'invoke'>,
  asked: {
    readonly moment: HookMoment
    readonly failed: Parameters<ProgramHooks['askRetry']>[1]
  },
  find: Find,
): ReturnType<ProgramHooks['askRetry']> {
  const { moment, failed } = asked
  let retry = false
  for (const name of moment.names) {
    const hook = await find(name, true)
    if (hook === undefined)
      return { retry: false, error: `error hook "${name}" was not registered` }
    const { callback } = hook
    const request = errorHookRequest(moment, failed, callback.acceptsByteString)
    const answer = await answerOf(async () =>
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

/** What a hook answered; one that could not be asked, or threw, failed with that. */
async function answerOf<T extends { readonly error: string }>(
  ask: () => Promise<T>,
): Promise<T | { readonly error: string; readonly retry: false }> {
  try {
    return await ask()
  } catch (thrown) {
    return { error: messageOf(thrown) || 'it could not be asked', retry: false }
  }
}
