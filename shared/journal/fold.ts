import type { OperationId } from '../records/ids.ts'
import { makesObject, type Operation } from '../records/operation.ts'
import { envelopeOf } from '../state/deployment.ts'
import { verifyIntegrity } from '../state/integrity.ts'
import { normalizeUrns } from '../state/normalize.ts'
import { rebuildDependencies } from '../state/rebuild.ts'
import { withUsedExtensions } from '../state/extensions.ts'
import { sortTopologically } from '../state/sort.ts'
import type { StoredDeployment, StoredResource } from '../state/stored.ts'
import { contentOf, outputsOf } from './contents.ts'
import type { EntryContent, JournalEntry } from './entry.ts'
import { type Facts, factsOf } from './facts.ts'
import type { Folded, FoldInput } from './fold-input.ts'
import { replay, type ReplayAbout } from './replay.ts'
import { createViewEntries, takesViews, type ViewEntries, type ViewEntry } from './views.ts'

/**
 * The snapshot that base and records come to: replayed, sorted, with normal URNs; what is wrong
 * with it, if anything, is said in its metadata (I7). Depends on the input alone (I6). Linear.
 * Throws STATE_INTEGRITY when the records name what the base does not have.
 */
export function fold(input: FoldInput): StoredDeployment {
  const { base, now, version } = input
  const { features: baseFeatures = [] } = envelopeOf(base)
  const about = { baseFeatures, now, version, order, ...rebuiltBy(input) }
  const replayed = replay(base, entriesOf(input), about)
  const resources = order(
    wasRefreshed(input)
      ? rebuildDependencies(replayed.resources ?? [])
      : (replayed.resources ?? []),
  )
  const whole = normalizeUrns(resources.length > 0 ? { ...replayed, resources } : replayed)
  return marked(withUsedExtensions(whole))
}

/**
 * What a refresh by the program cuts: of what it registered what points to nothing; once a program
 * of a command that only reads has ended, the others are rebuilt.
 */
function rebuiltBy({ decisions }: FoldInput): Pick<ReplayAbout, 'rebuilt' | 'kept'> {
  let isByProgram = false
  for (const decision of decisions) {
    if (decision.kind === 'program-ended' && decision.isRefresh === true)
      return { rebuilt: 'base', kept: new Set(decision.kept) }
    if (decision.kind === 'registration')
      isByProgram ||= decision.operations.some(({ op }) => op === 'refresh')
  }
  return isByProgram ? { rebuilt: 'none' } : {}
}

/** A refresh that was begun cuts what points to nothing, also when its reads failed. */
function wasRefreshed(input: FoldInput): boolean {
  for (const decision of input.decisions)
    if (decision.kind === 'phase' && decision.phase === 'refresh') return true
  return false
}

function order(resources: readonly StoredResource[]): readonly StoredResource[] {
  return sortTopologically(resources).resources
}

/** The deployment with its integrity error, or without the one that an older fold left. */
function marked(deployment: StoredDeployment): StoredDeployment {
  const fault = verifyIntegrity(deployment)
  const { integrity_error: _older, ...metadata } = deployment.metadata
  if (fault === undefined) return { ...deployment, metadata }
  const version = String(envelopeOf(deployment).version)
  return { ...deployment, metadata: { integrity_error: { version, error: fault }, ...metadata } }
}

/**
 * What the records come to as Pulumi's entries, in order of decision: begin and end of every
 * operation that began. Throws STATE_INTEGRITY when a base index does not hold the URN it should.
 */
export function entriesOf(input: FoldInput): readonly JournalEntry[] {
  const folded = foldedOf(input)
  const facts = factsOf(input, folded)
  const entries: JournalEntry[] = []
  const add = (operation: number, content: EntryContent): void => {
    entries.push({ ...content, sequence: entries.length + 1, operation })
  }
  const views = createViewEntries(input.base, lastIn(folded) + 1)
  add(0, { kind: 'secrets-manager', secretsProvider: input.secretsProvider })
  for (const item of folded) {
    if (item.kind === 'extension') {
      const { ref, extension } = item.decision
      add(0, { kind: 'extension-parameterize', ref, extension: { ...extension } })
      continue
    }
    if (item.kind === 'outputs') {
      const content = outputsOf(item.decision, facts)
      if (content !== undefined) add(item.decision.operation, content)
      continue
    }
    const operation = item.kind === 'executed' ? item.operation : item.decision.operation
    const own = contentOf(operation, facts).map(content => ({ operation: operation.id, content }))
    const related = viewContents(operation, facts, views)
    // What is deleted with its owner goes before it.
    const begunFirst = operation.effect === 'remove' ? 1 : own.length
    const whole = [...own.slice(0, begunFirst), ...related, ...own.slice(begunFirst)]
    for (const one of whole) add(one.operation, one.content)
  }
  return entries
}

/** What an operation did to views: what its provider told of, and what went with its resource. */
function viewContents(
  operation: Operation,
  facts: Facts,
  entries: ViewEntries,
): readonly ViewEntry[] {
  const fact = facts.of(operation.id)
  if (fact.kind !== 'done' && fact.kind !== 'failed') return []
  // Views of what was not made would stand below nothing.
  if (fact.kind === 'failed' && makesObject(operation)) return []
  const published = entries.published(fact.views ?? [])
  const { old } = operation
  if (fact.kind === 'failed' || old === undefined || !takesViews(operation, fact.state))
    return published
  const owner = facts.stateAt(old)
  return owner === undefined ? published : [...published, ...entries.left(owner)]
}

/** The highest number of an operation. */
function lastIn(folded: readonly Folded[]): number {
  let last = 0
  for (const item of folded) {
    if (item.kind === 'executed') last = Math.max(last, item.operation.id)
    else if (item.kind === 'settled') last = Math.max(last, item.decision.operation.id)
    else if (item.kind === 'outputs') last = Math.max(last, item.decision.operation)
  }
  return last
}

/** Each operation once, in order of decision. */
function foldedOf(input: FoldInput): readonly Folded[] {
  const seen = new Set<OperationId>()
  const folded: Folded[] = []
  const add = (id: OperationId, item: Folded): void => {
    if (seen.has(id)) return
    seen.add(id)
    folded.push(item)
  }
  const addAll = (operations: readonly Operation[]): void => {
    for (const operation of operations) add(operation.id, { kind: 'executed', operation })
  }
  for (const decision of input.decisions) {
    if (decision.kind === 'registration') addAll(decision.operations)
    else if (decision.kind === 'retried') addAll([decision.operation])
    else if (decision.kind === 'plan') for (const hash of decision.pages) addAll(input.page(hash))
    else if (decision.kind === 'settled') add(decision.operation.id, { kind: 'settled', decision })
    else if (decision.kind === 'extension') folded.push({ kind: 'extension', decision })
    else if (decision.kind === 'outputs') add(decision.operation, { kind: 'outputs', decision })
  }
  return folded
}
