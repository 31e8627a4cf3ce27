import type { OperationId } from '../records/ids.ts'
import { createsObject, type Operation } from '../records/operation.ts'
import { envelopeVersionOf, featuresOf } from '../state/features.ts'
import { inspectIntegrity, verifyIntegrity } from '../state/snapshot-integrity.ts'
import { normalizeUrns } from '../state/normalize-urns.ts'
import { rebuildDependencies } from '../state/rebuild-dependencies.ts'
import { withUsedExtensions } from '../state/extensions.ts'
import { sortTopologically } from '../state/topological-sort.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'
import { entryContentsOf, outputsEntryOf } from './entry-contents.ts'
import type { EntryContent, JournalEntry } from './entry.ts'
import { type OperationFacts, factsOf } from './operation-facts.ts'
import type { FoldedDecision, FoldInput } from './fold-input.ts'
import { replaySortedEntries, type EntryReplayOptions } from './replay-entries.ts'
import {
  createViewEntryFactory,
  removesViews,
  type ViewEntry,
  type ViewEntryFactory,
} from './view-entries.ts'

/**
 * Folds base and records to the next snapshot: replays the entries, sorts the resources, and
 * normalizes URNs. The metadata of the snapshot contains the integrity error, if there is one (I7).
 * The result depends on the input alone (I6). Linear apart from sorting. Throws STATE_INTEGRITY
 * when a record references a state that the base does not contain.
 */
export function fold(input: FoldInput): StoredDeployment {
  const { base, now, version } = input
  const baseFeatures = featuresOf(base)
  const options = { baseFeatures, now, version, sortResources, ...rebuildOptionsOf(input) }
  const replayed = replaySortedEntries(base, journalEntriesOf(input), options)
  return completeReplay(
    hasRefreshPhase(input)
      ? { ...replayed, resources: rebuildDependencies(replayed.resources ?? []) }
      : replayed,
  )
}

/** Sorts the resources of a replay, normalizes URNs, and adds the integrity error, if any. */
export function completeReplay(replayed: StoredDeployment): StoredDeployment {
  const { resources: replayedResources = [], ...otherFields } = replayed
  const { fault, isSorted } = inspectIntegrity(replayed)
  const resources = isSorted ? replayedResources : sortResources(replayedResources)
  const sorted = resources.length > 0 ? { ...replayed, resources } : otherFields
  const normalized = normalizeUrns(sorted)
  const isFaultCurrent = isSorted && normalized === sorted
  return markIntegrity(
    withUsedExtensions(normalized),
    isFaultCurrent ? fault : verifyIntegrity(normalized),
  )
}

/**
 * Returns how the replay rebuilds references after a refresh that runs the program. Registered
 * resources only lose dangling references. The references of the other resources are rebuilt when
 * the command is a refresh and its program has ended.
 */
function rebuildOptionsOf({
  decisions,
}: FoldInput): Pick<EntryReplayOptions, 'rebuildMode' | 'unchangedPositions'> {
  let isRefreshedByProgram = false
  for (const decision of decisions) {
    if (decision.kind === 'program-ended' && decision.isRefresh === true)
      return { rebuildMode: 'base', unchangedPositions: new Set(decision.kept) }
    if (decision.kind === 'registration')
      isRefreshedByProgram ||= decision.operations.some(({ op }) => op === 'refresh')
  }
  return isRefreshedByProgram ? { rebuildMode: 'none' } : {}
}

/**
 * Reports whether a refresh began. Dangling references are then removed, even if its reads failed.
 */
function hasRefreshPhase(input: FoldInput): boolean {
  for (const decision of input.decisions)
    if (decision.kind === 'phase' && decision.phase === 'refresh') return true
  return false
}

/** Sorts resources topologically. Resources in a valid order keep their order. */
export function sortResources(resources: readonly StoredResource[]): readonly StoredResource[] {
  return sortTopologically(resources).resources
}

/**
 * Returns the deployment with its current integrity error. An error of an earlier fold is removed.
 */
function markIntegrity(deployment: StoredDeployment, fault: string | undefined): StoredDeployment {
  const { integrity_error: _previousError, ...metadata } = deployment.metadata
  if (fault === undefined) return { ...deployment, metadata }
  const version = String(envelopeVersionOf(featuresOf(deployment)))
  return { ...deployment, metadata: { integrity_error: { version, error: fault }, ...metadata } }
}

/**
 * Returns the records as Pulumi's entries, in order of decision: begin and end of every operation
 * that began. Throws STATE_INTEGRITY when a base index does not hold the expected URN.
 */
export function journalEntriesOf(input: FoldInput): readonly JournalEntry[] {
  const foldedDecisions = collectFoldedDecisions(input)
  const facts = factsOf(input, foldedDecisions)
  const entries: JournalEntry[] = []
  const add = (operation: number, content: EntryContent): void => {
    entries.push({ ...content, sequence: entries.length + 1, operation })
  }
  const viewEntryFactory = createViewEntryFactory(
    input.base,
    highestOperationOf(foldedDecisions) + 1,
  )
  add(0, { kind: 'secrets-manager', secretsProvider: input.secretsProvider })
  for (const foldedDecision of foldedDecisions) {
    if (foldedDecision.kind === 'extension') {
      const { ref, extension } = foldedDecision.decision
      add(0, { kind: 'extension-parameterize', ref, extension: { ...extension } })
      continue
    }
    if (foldedDecision.kind === 'outputs') {
      const content = outputsEntryOf(foldedDecision.decision, facts)
      if (content !== undefined) add(foldedDecision.decision.operation, content)
      continue
    }
    const operation =
      foldedDecision.kind === 'planned'
        ? foldedDecision.operation
        : foldedDecision.decision.operation
    const operationEntries = entryContentsOf(operation, facts).map(content => ({
      operation: operation.id,
      content,
    }))
    const viewEntries = viewEntriesOf(operation, facts, viewEntryFactory)
    // The views of a deleted resource are deleted before the resource.
    const leadingCount = operation.effect === 'remove' ? 1 : operationEntries.length
    const allEntries = [
      ...operationEntries.slice(0, leadingCount),
      ...viewEntries,
      ...operationEntries.slice(leadingCount),
    ]
    for (const entry of allEntries) add(entry.operation, entry.content)
  }
  return entries
}

/**
 * Returns the view entries of an operation: the view steps that its provider reported, and the
 * deletes of views whose owner it removed.
 */
function viewEntriesOf(
  operation: Operation,
  facts: OperationFacts,
  factory: ViewEntryFactory,
): readonly ViewEntry[] {
  const fact = facts.get(operation.id)
  if (fact.kind !== 'applied' && fact.kind !== 'failed') return []
  // Views of a resource that was not created would have no owner.
  if (fact.kind === 'failed' && createsObject(operation)) return []
  const reportedEntries = factory.reportedViewEntriesOf(fact.views ?? [])
  const { old } = operation
  if (fact.kind === 'failed' || old === undefined || !removesViews(operation, fact.state))
    return reportedEntries
  const owner = facts.getState(old)
  return owner === undefined
    ? reportedEntries
    : [...reportedEntries, ...factory.remainingViewEntriesOf(owner)]
}

/** Returns the highest operation number. */
function highestOperationOf(foldedDecisions: readonly FoldedDecision[]): number {
  let highest = 0
  for (const foldedDecision of foldedDecisions) {
    if (foldedDecision.kind === 'planned') highest = Math.max(highest, foldedDecision.operation.id)
    else if (foldedDecision.kind === 'settled')
      highest = Math.max(highest, foldedDecision.decision.operation.id)
    else if (foldedDecision.kind === 'outputs')
      highest = Math.max(highest, foldedDecision.decision.operation)
  }
  return highest
}

/** Returns the decisions that the fold uses, in log order. Each operation occurs once. */
function collectFoldedDecisions(input: FoldInput): readonly FoldedDecision[] {
  const seenIds = new Set<OperationId>()
  const foldedDecisions: FoldedDecision[] = []
  const add = (id: OperationId, foldedDecision: FoldedDecision): void => {
    if (seenIds.has(id)) return
    seenIds.add(id)
    foldedDecisions.push(foldedDecision)
  }
  const addAll = (operations: readonly Operation[]): void => {
    for (const operation of operations) add(operation.id, { kind: 'planned', operation })
  }
  for (const decision of input.decisions) {
    if (decision.kind === 'registration') addAll(decision.operations)
    else if (decision.kind === 'retried') addAll([decision.operation])
    else if (decision.kind === 'plan')
      for (const hash of decision.pages) addAll(input.getPage(hash))
    else if (decision.kind === 'settled') add(decision.operation.id, { kind: 'settled', decision })
    else if (decision.kind === 'extension') foldedDecisions.push({ kind: 'extension', decision })
    else if (decision.kind === 'outputs') add(decision.operation, { kind: 'outputs', decision })
  }
  return foldedDecisions
}
