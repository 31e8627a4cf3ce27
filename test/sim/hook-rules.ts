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
  /** Called when a program's hook is called. `who`: the calling process. */
  readonly onCalled: (hook: HookOf & { readonly id: string; readonly who: string }) => void
  /** Called when a hook returns without a refusal. */
  readonly onPassed: (hook: HookOf) => void
  readonly onClosed: (deployment: DeploymentId) => void
}

/** A hook of one resource in one deployment. */
export interface HookOf {
  readonly deployment: DeploymentId | undefined
  readonly moment: string
  readonly urn: string
}

/**
 * Creates the rules. A call whose resource has a before hook is sent only after that hook has
 * passed in the same deployment. An after hook is called only after the call was sent. `hooks`: the
 * hook types of each thing, by name.
 */
export function createHookRules(
  hooks: ReadonlyMap<string, readonly string[]>,
  reporter: {
    readonly violate: (what: string) => void
    readonly cover: (group: CoverageGroup, what: string) => void
  },
): HookRules {
  const passed = new Map<DeploymentId | undefined, Set<string>>()
  const sent = new Set<string>()
  const callers = new Map<string, string>()
  const { violate, cover } = reporter
  return {
    onSent({ kind, urn, deployment, sender }) {
      const moment = `Before${kind[0]?.toUpperCase()}${kind.slice(1)}`
      sent.add(`${deployment} ${kind} ${urn}`)
      if (hooks.get(nameIn(urn))?.includes(moment) !== true) return
      cover('checked', 'a call is sent after its hook')
      if (passed.get(deployment)?.has(`${moment} ${urn}`) === true) return
      violate(`${sender.key} sent ${kind} of ${urn} before its ${moment} hook had passed`)
    },
    onCalled({ deployment, moment, urn, id, who }) {
      const hook = `${deployment} ${moment} ${urn} ${id}`
      if ((callers.get(hook) ?? who) !== who)
        cover('rule', 'a hook runs again in a later generator run')
      callers.set(hook, who)
      if (hooks.get(nameIn(urn))?.includes(moment) !== true)
        violate(`${who} called the ${moment} hook of ${urn}, which has none`)
      if (!moment.startsWith('After')) return
      const kind = moment.slice('After'.length).toLowerCase()
      cover('checked', 'a hook is called after its call')
      if (!sent.has(`${deployment} ${kind} ${urn}`))
        violate(`${who} called the ${moment} hook of ${urn}, and no ${kind} was sent`)
    },
    onPassed({ deployment, moment, urn }) {
      const here = passed.get(deployment) ?? new Set()
      passed.set(deployment, here.add(`${moment} ${urn}`))
    },
    onClosed: deployment => void passed.delete(deployment),
  }
}

function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}
