import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import {
  ErrorHookRequest,
  ErrorHookResponse,
  type RegisterErrorHookRequest,
  type RegisterResourceHookRequest,
  ResourceHookRequest,
  ResourceHookResponse,
} from '../../../proto/gen/pulumi/resource.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { HookCall, ProgramHooks } from '../hooks.ts'
import type { Callbacks } from './callbacks.ts'
import { toErrorHookRequest, toHookRequest } from './hook-request.ts'

/**
 * The hooks that the program registered in one generator run, by name. The program registers them
 * again in each run.
 */
export interface RegisteredHooks extends ProgramHooks {
  /**
   * Makes lookups of unknown names wait until the program registers them or `until` resolves.
   * Without this call, an unknown name is an error immediately.
   */
  readonly awaitNames: (until: Promise<unknown>) => void
  readonly handlers: {
    readonly registerResourceHook: (request: RegisterResourceHookRequest) => Promise<object>
    readonly registerErrorHook: (request: RegisterErrorHookRequest) => Promise<object>
  }
}

/** A registered hook, and the options of its registration. */
interface Hook {
  readonly callback: Callback
  readonly runsInPreviews: boolean
  readonly ignoreErrors: boolean
  /** Whether the hook is an error hook. */
  readonly isForErrors: boolean
}

/** A lookup of a hook by its name. Undefined for an unknown name or a hook of the other kind. */
type FindHook = (name: string, isForErrors: boolean) => Promise<Hook | undefined>

/**
 * Creates an empty set of hooks. Source: docs/spec/monitor.md#registerresourcehook,
 * docs/spec/step-execution.md#hooks.
 */
export function createRegisteredHooks(programCallbacks: Callbacks): RegisteredHooks {
  let activeCallCount = 0
  const callbacks: Pick<Callbacks, 'invoke'> = {
    invoke(...args) {
      activeCallCount += 1
      return programCallbacks.invoke(...args).finally(() => {
        activeCallCount -= 1
      })
    },
  }
  const hooksByName = new Map<string, Hook>()
  const awaitedNames = new Map<string, PromiseWithResolvers<void>>()
  const trackedSteps = new Set<Promise<unknown>>()
  let waitEnd: Promise<unknown> | undefined
  const addHook = (name: string, hook: Omit<Hook, 'callback'>, callback: Callback | undefined) => {
    if (name === '') throw createError('RESOURCE_INVALID', 'resource hook name cannot be empty')
    if (hooksByName.has(name))
      throw createError('RESOURCE_INVALID', `resource hook already registered for name "${name}"`)
    if (callback === undefined)
      throw createError('RESOURCE_INVALID', `resource hook "${name}" has no callback`)
    hooksByName.set(name, { ...hook, callback })
    awaitedNames.get(name)?.resolve()
  }
  const find = async (name: string, isForErrors: boolean): Promise<Hook | undefined> => {
    if (!hooksByName.has(name) && waitEnd !== undefined) {
      const registration = awaitedNames.get(name) ?? Promise.withResolvers<void>()
      awaitedNames.set(name, registration)
      await Promise.race([registration.promise, waitEnd])
    }
    const hook = hooksByName.get(name)
    return hook?.isForErrors === isForErrors ? hook : undefined
  }
  return {
    run: hookCall => runRegisteredHooks(callbacks, hookCall, find),
    requestRetry: (hookCall, failure) => callErrorHooks(callbacks, { hookCall, failure }, find),
    track(pendingStep) {
      const trackedStep = pendingStep.finally(() => trackedSteps.delete(trackedStep))
      trackedSteps.add(trackedStep)
      // The caller gets a rejection through the returned promise.
      trackedStep.catch(() => undefined)
      return trackedStep
    },
    isBusy: () => activeCallCount > 0,
    async waitUntilSettled() {
      while (trackedSteps.size > 0) await Promise.allSettled([...trackedSteps])
    },
    awaitNames(until) {
      waitEnd = until
    },
    handlers: {
      async registerResourceHook({ name, callback, onDryRun, ignoreErrors }) {
        addHook(name, { runsInPreviews: onDryRun, ignoreErrors, isForErrors: false }, callback)
        return {}
      },
      async registerErrorHook({ name, callback }) {
        addHook(name, { runsInPreviews: true, ignoreErrors: false, isForErrors: true }, callback)
        return {}
      },
    },
  }
}

async function runRegisteredHooks(
  callbacks: Pick<Callbacks, 'invoke'>,
  hookCall: HookCall,
  find: FindHook,
): ReturnType<ProgramHooks['run']> {
  const warnings: string[] = []
  const { hookType: type, names, isPreview } = hookCall
  for (const name of names) {
    const hook = await find(name, false)
    if (hook === undefined) return { error: `hook "${name}" was not registered`, warnings }
    if (isPreview && !hook.runsInPreviews) continue
    const { callback } = hook
    const request = toHookRequest(hookCall, callback.acceptsByteString)
    const answer = await callHook(async () =>
      ResourceHookResponse.decode(
        await callbacks.invoke(callback, ResourceHookRequest.encode(request).finish()),
      ),
    )
    if (answer.error === '') continue
    if (hook.ignoreErrors) warnings.push(`${type} hook "${name}" failed: ${answer.error}`)
    else {
      const position = type.startsWith('Before') ? 'before' : 'after'
      return { error: `${position} hook "${name}" failed: ${answer.error}`, warnings }
    }
  }
  return { error: undefined, warnings }
}

/**
 * Calls the error hooks in sequence. A hook that requests a retry does not end the sequence. The
 * first unknown or failed hook ends the sequence without a retry.
 */
async function callErrorHooks(
  callbacks: Pick<Callbacks, 'invoke'>,
  input: {
    readonly hookCall: HookCall
    readonly failure: Parameters<ProgramHooks['requestRetry']>[1]
  },
  find: FindHook,
): ReturnType<ProgramHooks['requestRetry']> {
  const { hookCall, failure } = input
  let mustRetry = false
  for (const name of hookCall.names) {
    const hook = await find(name, true)
    if (hook === undefined)
      return { mustRetry: false, error: `error hook "${name}" was not registered` }
    const { callback } = hook
    const request = toErrorHookRequest(hookCall, failure, callback.acceptsByteString)
    const answer = await callHook(async () =>
      ErrorHookResponse.decode(
        await callbacks.invoke(callback, ErrorHookRequest.encode(request).finish()),
      ),
    )
    if (answer.error !== '')
      return { mustRetry: false, error: `error hook "${name}" failed: ${answer.error}` }
    if (answer.retry) mustRetry = true
  }
  return { mustRetry, error: undefined }
}

/**
 * Returns the response of a hook. If the hook throws or is unreachable, the response contains that
 * error.
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
