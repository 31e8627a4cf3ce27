import type { DeploymentId } from '../../shared/records/ids.ts'
import type { CoverageGroup } from './coverage.ts'

/** What must hold of hooks and the calls that they stand around. */
export interface HookRules {
  /** A call is sent. */
  readonly sent: (call: {
    readonly kind: string
    readonly urn: string
    readonly deployment: DeploymentId | undefined
    readonly sender: { readonly key: string }
  }) => void
  /** A program is asked. `who`: by which process. */
  readonly asked: (hook: HookOf & { readonly id: string; readonly who: string }) => void
  /** A program answered, and refused nothing. */
  readonly passed: (hook: HookOf) => void
  readonly closed: (deployment: DeploymentId) => void
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
  told: {
    readonly violate: (what: string) => void
    readonly covered: (group: CoverageGroup, what: string) => void
  },
): HookRules {
  const passed = new Map<DeploymentId | undefined, Set<string>>()
  const sent = new Set<string>()
  const askedBy = new Map<string, string>()
  const { violate, covered } = told
  return {
    sent({ kind, urn, deployment, sender }) {
      const moment = `Before${kind[0]?.toUpperCase()}${kind.slice(1)}`
      sent.add(`${deployment} ${kind} ${urn}`)
      if (hooks.get(nameIn(urn))?.includes(moment) !== true) return
      covered('checked', 'a call is sent after its hook')
      if (passed.get(deployment)?.has(`${moment} ${urn}`) === true) return
      violate(`${sender.key} sent ${kind} of ${urn} before its ${moment} hook had passed`)
    },
    asked({ deployment, moment, urn, id, who }) {
      const hook = `${deployment} ${moment} ${urn} ${id}`
      if ((askedBy.get(hook) ?? who) !== who) covered('rule', 'a hook runs again in a later life')
      askedBy.set(hook, who)
      if (hooks.get(nameIn(urn))?.includes(moment) !== true)
        violate(`${who} asked the ${moment} hook of ${urn}, which has none`)
      if (!moment.startsWith('After')) return
      const kind = moment.slice('After'.length).toLowerCase()
      covered('checked', 'a hook is asked after its call')
      if (!sent.has(`${deployment} ${kind} ${urn}`))
        violate(`${who} asked the ${moment} hook of ${urn}, and no ${kind} was sent`)
    },
    passed({ deployment, moment, urn }) {
      const here = passed.get(deployment) ?? new Set()
      passed.set(deployment, here.add(`${moment} ${urn}`))
    },
    closed: deployment => void passed.delete(deployment),
  }
}

function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf('::') + 2)
}
