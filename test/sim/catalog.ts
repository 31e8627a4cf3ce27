import type { CatalogPort, HistoryRecord, StackRecord } from '../../shared/ports/catalog.ts'
import {
  type BlobHash,
  deploymentIdOf,
  deploymentPartsOf,
  type StackId,
} from '../../shared/records/ids.ts'
import { type LateOutcome, lateOutcomeKeyOf } from '../../shared/records/late-outcome.ts'
import { limits } from '../../shared/config/limits.ts'
import {
  findDeploymentByToken,
  hasClaimBasis,
  isOpenDeployment,
  withClaim,
  withPublication,
  withoutDeployment,
} from '../../shared/ports/open-deployments.ts'
import { historyBeginOf } from '../../shared/platform/records/history-begin.ts'
import { createError } from '../../shared/errors/error.ts'
import type { SynchronousPort } from './sync.ts'

/**
 * Creates a catalog of stacks and their published states. `onPublished` is called for each new
 * version, and `onRule` for a repeated publish, a late outcome and a started targeted deployment.
 * `removeVersions` removes all versions up to `through`.
 */
export function createSimCatalog(
  onPublished: (blob: BlobHash, version: number) => void,
  onRule: (rule: string) => void,
): SynchronousPort<CatalogPort> & { readonly removeVersions: (through: number) => void } {
  // `call`: the token of the last create or start, by which its repetition is recognized.
  const stacks = new Map<StackId, StackRecord & { readonly call: string }>()
  const history = new Map<string, HistoryRecord>()
  const inbox: LateOutcome[] = []
  // Keys of removed late outcomes. A late copy of a put must not restore them.
  const takenKeys = new Set<string>()
  let versions: { readonly version: number; readonly snapshot: BlobHash }[] = []
  const requireStack = (id: StackId): StackRecord & { readonly call: string } => {
    const stack = stacks.get(id)
    if (stack === undefined) throw createError('STACK_NOT_FOUND', `the stack ${id}`)
    return stack
  }
  const durations = new Map<string, number>()
  return {
    recordSlowOperation: (_id, key, ms) => void durations.set(key, ms),
    listSlowOperations: () => durations,
    createStack(id, createdAt, call = '') {
      const existing = stacks.get(id)
      if (existing !== undefined) return existing.call === call
      const emptyStack = { current: '', version: 0, snapshot: '', deployments: 0 } as const
      stacks.set(id, { id, createdAt, ...emptyStack, call })
      return true
    },
    getStack: id => stacks.get(id),
    listStacks: () => ({ stacks: [...stacks.values()], unreadable: [] }),
    removeStack: id => stacks.delete(id),
    start(id, input, call = '') {
      const stack = requireStack(id)
      if (stack.current !== '')
        return { kind: stack.call === call ? 'started' : 'busy', deployment: stack.current }
      const deployments = stack.deployments + 1
      const current = deploymentIdOf(id, deployments)
      stacks.set(id, { ...stack, current, deployments, call })
      history.set(current, historyBeginOf(current, input))
      return { kind: 'started', deployment: current }
    },
    startTargeted(id, input, { claim, expected }, call = '') {
      const stack = requireStack(id)
      const { targeted = [] } = stack
      const startedDeployment = findDeploymentByToken(stack, call)
      if (startedDeployment !== undefined) return { kind: 'started', deployment: startedDeployment }
      const isFull = targeted.length >= limits.openDeploymentsMax
      if (stack.current !== '' && (targeted.length === 0 || isFull))
        return { kind: 'busy', deployment: stack.current }
      if (!hasClaimBasis(stack, expected)) return { kind: 'changed' }
      const deployments = stack.deployments + 1
      const deployment = deploymentIdOf(id, deployments)
      const open = [...targeted, { deployment, claim, token: call }]
      const current = open[0]?.deployment ?? deployment
      stacks.set(id, { ...stack, current, targeted: open, deployments, call })
      history.set(deployment, historyBeginOf(deployment, input))
      onRule(`${open.length} targeted deployments are open`)
      return { kind: 'started', deployment }
    },
    extendClaim(deployment, claim, expected) {
      const stack = requireStack(deploymentPartsOf(deployment).stack)
      const openTargeted = stack.targeted?.find(open => open.deployment === deployment)
      if (openTargeted?.claim === claim) return true
      if (openTargeted === undefined || !hasClaimBasis(stack, expected)) return false
      const targeted = withClaim(stack.targeted ?? [], deployment, claim)
      stacks.set(stack.id, { ...stack, targeted })
      return true
    },
    publish(id, expected, snapshot, publisher) {
      const stack = requireStack(id)
      const version = expected + 1
      if (stack.version === version && stack.snapshot === snapshot) {
        onRule('a repeated publish finds its own version')
        return { kind: 'already-published', version }
      }
      if (stack.version !== expected) return { kind: 'conflict', version: stack.version }
      const open = withPublication(stack.targeted ?? [], publisher, { version, snapshot })
      const targeted = open.length === 0 ? {} : { targeted: open }
      stacks.set(id, { ...stack, version, snapshot, ...targeted })
      versions.unshift({ version, snapshot })
      onPublished(snapshot, version)
      return { kind: 'published', version }
    },
    release(deployment, { at, result, changes, version }) {
      const stack = requireStack(deploymentPartsOf(deployment).stack)
      if (!isOpenDeployment(stack, deployment)) return
      const { targeted: open = [], ...rest } = stack
      const targeted = withoutDeployment(open, deployment)
      const current = targeted[0]?.deployment ?? ''
      stacks.set(stack.id, {
        ...rest,
        current,
        call: '',
        ...(targeted.length === 0 ? {} : { targeted }),
      })
      const openRecord = history.get(deployment)
      if (openRecord !== undefined)
        history.set(deployment, { ...openRecord, endedAt: at, result, changes, version })
    },
    putLateOutcome(_id, item) {
      onRule('a late outcome is put into the inbox')
      if (takenKeys.has(lateOutcomeKeyOf(item))) return
      if (!inbox.some(existing => lateOutcomeKeyOf(existing) === lateOutcomeKeyOf(item)))
        inbox.push(item)
    },
    listLateOutcomes: (_id, limit) => inbox.slice(0, limit),
    removeLateOutcomes(_id, keys) {
      for (const key of keys) {
        takenKeys.add(key)
        const index = inbox.findIndex(item => lateOutcomeKeyOf(item) === key)
        if (index >= 0) inbox.splice(index, 1)
      }
    },
    listHistory: (_id, limit, before = Infinity) =>
      [...history.values()]
        .filter(({ deployment }) => deploymentPartsOf(deployment).number < before)
        .reverse()
        .slice(0, limit),
    listVersions: (_id, limit, before = Infinity) =>
      versions.filter(({ version }) => version < before).slice(0, limit),
    removeVersions(through) {
      versions = versions.filter(({ version }) => version > through)
    },
  }
}
