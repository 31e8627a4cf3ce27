import type { DeploymentId } from '../../shared/records/ids.ts'
import type { CoverageGroup } from './coverage.ts'

/** The rules for hooks and the calls that they surround. */
export interface HookRules {
  /** Called when a call is sent. */
  readonly onSent: (call: {
    readonly kind: string
    readonly urn: string
    readonly deployment: DeploymentId | undefined
    readonly sender: { readonly key: string }
  }) => void
  /** Called when a program's hook is called. `processKey`: the calling process. */
  readonly onCalled: (
    hook: HookContext & { readonly id: string; readonly processKey: string },
  ) => void
  /** Called when a hook returns without a refusal. */
  readonly onPassed: (hook: HookContext) => void
  readonly onClosed: (deployment: DeploymentId) => void
}

/** A hook of one resource in one deployment. */
export interface HookContext {
  readonly deployment: DeploymentId | undefined
  readonly hookType: string
  readonly urn: string
}

/**
 * Creates the rules. A call whose resource has a before hook is sent only after that hook has
 * passed in the same deployment. An after hook is called only after the call was sent. `hooks`: the
 * hook types of each resource, by the resource's name.
 */
export function createHookRules(
  hooks: ReadonlyMap<string, readonly string[]>,
  reporter: {
    readonly violate: (description: string) => void
    readonly cover: (group: CoverageGroup, description: string) => void
  },
): HookRules {
  const passedHooks = new Map<DeploymentId | undefined, Set<string>>()
  const sentCalls = new Set<string>()
  const callers = new Map<string, string>()
  const { violate, cover } = reporter
  return {
    onSent({ kind, urn, deployment, sender }) {
      const hookType = `Before${kind[0]?.toUpperCase()}${kind.slice(1)}`
      sentCalls.add(`${deployment} ${kind} ${urn}`)
      if (hooks.get(nameIn(urn))?.includes(hookType) !== true) return
      cover('checked', 'a call is sent after its hook')
      if (passedHooks.get(deployment)?.has(`${hookType} ${urn}`) === true) return
      violate(`${sender.key} sent ${kind} of ${urn} before its ${hookType} hook had passed`)
    },
    onCalled({ deployment, hookType, urn, id, processKey }) {
      const hook = `${deployment} ${hookType} ${urn} ${id}`
      if ((callers.get(hook) ?? processKey) !== processKey)
        cover('rule', 'a hook runs again in a later generator run')
      callers.set(hook, processKey)
      if (hooks.get(nameIn(urn))?.includes(hookType) !== true)
        violate(`${processKey} called the ${hookType} hook of ${urn}, which has none`)
      if (!hookType.startsWith('After')) return
      const kind = hookType.slice('After'.length).toLowerCase()
      cover('checked', 'a hook is called after its call')
      if (!sentCalls.has(`${deployment} ${kind} ${urn}`))
        violate(`${processKey} called the ${hookType} hook of ${urn}, and no ${kind} was sent`)
    },
    onPassed({ deployment, hookType, urn }) {
      const passedOfDeployment = passedHooks.get(deployment) ?? new Set()
      passedHooks.set(deployment, passedOfDeployment.add(`${hookType} ${urn}`))
    },
    onClosed: deployment => void passedHooks.delete(deployment),
  }
}

function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}
