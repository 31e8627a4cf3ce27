import type { DeploymentId } from '../../shared/records/ids.ts'
import type { CoverageGroup } from './coverage.ts'

/** What must hold of hooks and the calls that they stand around. */
export interface HookRules {
  /** A call is sent. */
  readonly onSent: (call: {
    readonly kind: string
    readonly urn: string
    readonly deployment: DeploymentId | undefined
    readonly sender: { readonly key: string }
  }) => void
  /** A program is asked. `who`: by which process. */
  readonly onCalled: (hook: HookOf & { readonly id: string; readonly who: string }) => void
  /** A program answered, and refused nothing. */
  readonly onPassed: (hook: HookOf) => void
  readonly onClosed: (deployment: DeploymentId) => void
}

/** A hook of one resource, as it is asked in one deployment. */
export interface HookOf {
  readonly deployment: DeploymentId | undefined
  readonly moment: string
  readonly urn: string
}

/**
 * No call whose resource has a hook before it is sent until that hook has passed in the same
 * deployment; and no hook after a call is asked until the call was sent. `hooks`: the moments at
 * which things have hooks, by name.
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
      if ((callers.get(hook) ?? who) !== who) cover('rule', 'a hook runs again in a later life')
      callers.set(hook, who)
      if (hooks.get(nameIn(urn))?.includes(moment) !== true)
        violate(`${who} asked the ${moment} hook of ${urn}, which has none`)
      if (!moment.startsWith('After')) return
      const kind = moment.slice('After'.length).toLowerCase()
      cover('checked', 'a hook is asked after its call')
      if (!sent.has(`${deployment} ${kind} ${urn}`))
        violate(`${who} asked the ${moment} hook of ${urn}, and no ${kind} was sent`)
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
