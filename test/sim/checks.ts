import type { DeploymentId, OperationId, WriterToken } from '../../shared/records/ids.ts'
import type { Lease } from '../../shared/records/head.ts'
import type { Operation } from '../../shared/records/operation.ts'
import type { Decision } from '../../shared/records/log.ts'
import { headStateOf, transitionOf, transitions } from '../../shared/records/transitions.ts'
import { decodeResource } from '../../shared/state/resource-codec.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import { areEqualMaps } from '../../shared/values/equal.ts'
import { stripSecretsInMap } from '../../shared/values/special-values.ts'
import type { ModelCloud } from './model-cloud.ts'
import { checkFoldLaw, checkPartialFold, foldInputOf, type ReaderView } from './fold-law.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import { isPublicationOf, listTargetedFolds, mergeOpenFolds } from './targeted-folds.ts'
import { faultKinds } from './faults.ts'
import { dynamoEvents } from './dynamo-anomalies.ts'
import type { HeadChange } from './heads.ts'
import { queueEvents } from './model-queues.ts'
import { omitRecordKeys, recordKeys } from './plugins.ts'
import { secretMark, simSecrets } from './secrets.ts'
import { readStateBlob } from './read-state-blob.ts'
import { parseStored, type Observer } from './store.ts'
import type { World } from './world.ts'

/** Share of the head changes after which the current records are folded. */
const partialFoldShare = 0.01

/** Creates the observer that checks every write, and the cloud at each publish. */
export function createChecks(world: World, cloud: ModelCloud): Observer {
  const needs = new Map<string, number>()
  /** Ids of resources that had a pending operation. They may differ from their objects. */
  const exemptIds = new Set<string>()
  const draw = world.draw.fork('checks')
  /** The moments of all appended records and ended operations, as numbers that increase. */
  const appendMoments = new Map<string, number[]>()
  const endMoments = new Map<string, number>()
  let [closingCount, publishCount, moment] = [0, 0, 0]
  let previousState: StoredDeployment = emptyDeployment
  /** Returns the view of a reader who read the log at some moment and reads the ends afterwards. */
  const createReaderView = (deployment: string): ReaderView => {
    const moments = appendMoments.get(deployment) ?? []
    const records = draw.integer(0, moments.length)
    const readMoment = draw.integer(moments[records - 1] ?? 0, (moments[records] ?? moment) - 1)
    return {
      records,
      seesEnd: (id: OperationId) =>
        (endMoments.get(`${deployment} ${id}`) ?? 0) <= readMoment || draw.chance(0.5),
    }
  }
  const writers = new Map<DeploymentId, WriterToken>()
  const noteNeeds = (deployment: DeploymentId, operations: readonly Operation[]): void => {
    for (const operation of operations) needs.set(`${deployment} ${operation.id}`, operation.needs)
  }
  return {
    onTextStored(text) {
      if (text.includes(secretMark))
        world.violate(`a secret is stored in plaintext: ${excerptOf(text)}`)
    },
    onAppended(deployment, { number, decisions, writer }) {
      moment += 1
      if (decisions.some(({ kind }) => kind === 'takeover')) writers.set(deployment, writer)
      else if (writers.get(deployment) !== writer)
        world.violate(`a deposed generator recorded a decision in ${deployment}`)
      appendMoments.set(deployment, [...(appendMoments.get(deployment) ?? []), moment])
      for (const decision of decisions) {
        const rule = ruleOf(decision, number)
        if (rule !== undefined) world.cover('rule', rule)
        if (decision.kind === 'closing') closingCount += 1
        if (decision.kind === 'registration') noteNeeds(deployment, decision.operations)
        if (decision.kind !== 'plan') continue
        for (const page of decision.pages) {
          const bytes = world.records.blobs.get(page)
          noteNeeds(
            deployment,
            parseStored<readonly Operation[]>(Buffer.from(bytes).toString('utf8')),
          )
        }
      }
    },
    onHeadChanged(change) {
      moment += 1
      if (change.before.end === undefined && change.after.end !== undefined)
        endMoments.set(change.headKey, moment)
      if (change.before.end === undefined && change.after.end?.verdict === 'interrupted')
        world.cover('rule', 'an operation is interrupted')
      const { executor, end } = change.after
      const selectsNoOutcome =
        end === change.before.end || end?.verdict === 'interrupted' || executor === ''
      const lease = selectsNoOutcome ? undefined : leaseOf(world, change.headKey, executor)
      if (lease?.retired === true)
        world.cover('rule', 'the stored outcome of a dead executor is selected')
      checkTransition(world, change, needs.get(change.headKey) ?? 0)
      if (!world.hasFaults || !draw.chance(partialFoldShare)) return
      const [deployment = ''] = change.headKey.split(' ')
      const input = foldInputOf(world, deployment as DeploymentId, createReaderView(deployment))
      if (input !== undefined) checkPartialFold(world, input)
    },
    onClosed: deployment => cloud.onClosed(deployment),
    onRule: rule => world.cover('rule', rule),
    onPublished(blob) {
      publishCount += 1
      if (publishCount > closingCount) world.violate('a deployment published twice')
      const state = readStateBlob(world, blob)
      const integrityError = verifyIntegrity(state)
      if (integrityError !== undefined)
        world.violate(`the published state has an integrity error: ${integrityError}`)
      if (state.metadata['integrity_error'] !== undefined)
        world.violate('the published state is marked with an integrity error')
      const [stack] = world.records.catalog.listStacks().stacks
      // The state already contains the changes of deployments that published earlier.
      const possiblePublishers = (stack?.targeted ?? []).filter(
        ({ published }) => published === undefined || published.snapshot === blob,
      )
      const openFolds = listTargetedFolds(world, possiblePublishers)
      checkCloud(world, cloud, { state: mergeOpenFolds(openFolds, state), exemptIds })
      const previous = previousState
      previousState = state
      if (openFolds.length > 0) {
        if (!openFolds.some(openFold => isPublicationOf(openFold, { state, previous })))
          world.violate('the published state is not the merge of a targeted deployment')
        return
      }
      const { current = '' } = stack ?? {}
      const input = current === '' ? undefined : foldInputOf(world, current)
      if (world.hasFaults && input !== undefined)
        checkFoldLaw(world, input, { published: state, draw })
    },
  }
}

/** The events of recovery, close, versions, removal and hooks that the runs must show. */
const rules = [
  'a log is taken over',
  'a dead deployment is closed',
  'a late outcome is taken',
  'a later epoch is pinned',
  'an operation is interrupted',
  'poisoned work is ended',
  'a pending create is imported',
  'a pending create is cleared',
  'a pending create is not cleared while it may still take effect',
  'the stored outcome of a dead executor is selected',
  'an executor is retired by another',
  'plugins of a dead process are ended',
  'a repeated publish finds its own version',
  'a late outcome is put into the inbox',
  'a deployment is resumed automatically',
  'a process is started again',
  'a deposed generator stops',
  'a deposed generator cannot stop its successor',
  'an append of a deposed generator is refused',
  'a newer version takes over during a deployment',
  'newer rules are refused by name',
  'a serving process refuses newer rules',
  'records of a deployment are removed',
  'versions are removed',
  'a generator runs an operation itself',
  'a hook refuses a step',
  'a hook runs again in a later generator run',
  'a targeted deployment meets the claim of another',
  '2 targeted deployments are open',
  '3 targeted deployments are open',
  'a generator parks',
  'a generator hands over at its time limit',
  'a generator hands over to one without a time limit',
] as const

/** The coverage that a run of many seeds must reach. */
export const requiredCoverage: readonly string[] = [
  ...faultKinds.map(kind => `fault: ${kind}`),
  ...transitions.map(row => `transition: ${row.from} ${row.event}, ${row.condition}`),
  ...rules.map(rule => `rule: ${rule}`),
  ...recordKeys.map(key => `checked: an object is recorded as ${key}`),
]

/** The coverage that a run of many seeds on AWS must reach. */
export const requiredAwsCoverage: readonly string[] = [
  ...queueEvents.map(event => `rule: SQS: ${event}`),
  ...dynamoEvents.map(event => `rule: DynamoDB: ${event}`),
]

function ruleOf(decision: Decision, number: number): (typeof rules)[number] | undefined {
  if (decision.kind === 'takeover' && number > 0) return 'a log is taken over'
  if (decision.kind === 'closing' && decision.result === 'interrupted')
    return 'a dead deployment is closed'
  if (decision.kind !== 'pin') return undefined
  if (decision.inbox.length > 0) return 'a late outcome is taken'
  return decision.epoch > 1 ? 'a later epoch is pinned' : undefined
}

function leaseOf(world: World, headKey: string, executor: string): Lease | undefined {
  const [deployment = ''] = headKey.split(' ')
  return world.records.leases
    .list(deployment as DeploymentId)
    .find(lease => lease.executor === executor)
}

function excerptOf(text: string): string {
  const index = text.indexOf(secretMark)
  return text.slice(Math.max(0, index - 80), index + 20)
}

/**
 * Checks a head change. Its transition must be in the table. An end never changes, an attempt
 * number never decreases, and a begin requires all arrivals.
 */
function checkTransition(world: World, change: HeadChange, needs: number): void {
  const { before, after, event, isDone } = change
  if (before.end !== undefined && JSON.stringify(after.end) !== JSON.stringify(before.end))
    world.violate(`${change.headKey} ended a second time`)
  if (after.attempt < before.attempt) world.violate(`${change.headKey} forgot an attempt`)
  if (event === 'begin' && after !== before && before.arrived.length < needs)
    world.violate(`${change.headKey} began before its needs had ended`)
  if (!isDone && after === before && event !== 'arrive') return
  const request = {
    event,
    requester: change.requester,
    attempt: change.isCurrent ? ('current' as const) : ('stale' as const),
    isRepeated: after === before && event !== 'arrive',
    isLastArrival: after.arrived.length >= needs,
  }
  const row = transitionOf(headStateOf(before, needs), request, before)
  if (row === undefined)
    world.violate(`${change.headKey}: ${event} of ${headStateOf(before, needs)} is not lawful`)
  else world.cover('transition', `${row.from} ${row.event}, ${row.condition}`)
}

/**
 * Checks I9. The state equals the cloud, except for objects of pending operations, late outcomes,
 * pending replacements and unanswered calls.
 */
function checkCloud(
  world: World,
  cloud: ModelCloud,
  input: { readonly state: StoredDeployment; readonly exemptIds: Set<string> },
): void {
  const { state, exemptIds } = input
  const resources = (state.resources ?? []).map(resource =>
    decodeResource(resource, simSecrets.crypter.decrypt),
  )
  const pendingUrns = new Set((state.pending_operations ?? []).map(({ resource }) => resource.urn))
  const ids = new Set(resources.map(({ id }) => id))
  const lateIds = new Set(
    world.records.catalog
      .listStacks()
      .stacks.flatMap(({ id }) =>
        world.records.catalog
          .listLateOutcomes(id, 1_000)
          .map(item => readTextField(item.state, 'id')),
      ),
  )
  for (const object of cloud.objects.values()) {
    if (ids.has(object.id) || lateIds.has(object.id)) continue
    if (pendingUrns.has(object.urn)) world.cover('checked', 'a pending operation names an object')
    else world.violate(`${object.id} exists, but no published state names it`)
  }
  for (const resource of resources) {
    // The object is deleted, and its replacement does not exist yet.
    if (resource.pendingReplacement) continue
    if (!resource.custom || resource.type.startsWith('pulumi:providers:')) continue
    if (pendingUrns.has(resource.urn)) exemptIds.add(resource.id)
    cloud.notePublished(resource.id)
    for (const key of recordKeys)
      if (resource.outputs.has(key)) world.cover('checked', `an object is recorded as ${key}`)
    if (exemptIds.has(resource.id)) continue
    const object = cloud.objects.get(resource.id)
    const lastCall = object?.lastCall ?? cloud.deletingCalls.get(resource.id)
    if (lastCall !== undefined && !lastCall.isAnswered) continue
    if (object === undefined) world.violate(`${resource.id} is in the state, but does not exist`)
    else if (
      !areEqualMaps(
        stripSecretsInMap(omitRecordKeys(resource.outputs)),
        new Map([...stripSecretsInMap(object.inputs), ['made', 'yes']]),
      )
    )
      world.violate(`${resource.id} differs from the state`)
    world.cover('checked', 'a resource equals its object')
  }
}

/**
 * Returns the resources of a state as sorted JSON texts. They lack the values that may differ
 * between two correct runs: ids, times and function results.
 */
export function listComparableResources(state: StoredDeployment): readonly string[] {
  return (state.resources ?? [])
    .map(({ created: _created, modified: _modified, ...resource }) =>
      JSON.stringify(resource)
        .replaceAll(/#\d+/g, '#')
        .replaceAll(/"answer":\d+/g, '"answer":0')
        // A diff of an unchanged object adds this output. Faults change the number of diffs.
        .replaceAll(',"upgraded":"yes"', '')
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid'),
    )
    .sort()
}
