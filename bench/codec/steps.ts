import { decodeEntry, encodeEntry, type JournalEntry } from '../../shared/journal/entry.ts'
import { completeReplay, sortResources } from '../../shared/journal/fold.ts'
import { replaySortedEntries } from '../../shared/journal/replay-entries.ts'
import { openManagerFromState } from '../../shared/secrets/secrets-from-state.ts'
import { diffStates } from '../../shared/state/diff-states.ts'
import { printStateBlob } from '../../shared/state/print-envelope.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  envelopeOf,
  manifestOf,
  parseEnvelope,
} from '../../shared/state/snapshot-codec.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment, StoredResource } from '../../shared/state/stored.ts'

/** A step on a prepared input. */
export interface PreparedStep {
  readonly run: () => unknown
  /**
   * The total size of the runs of one repetition. A short step runs several times, because the
   * clock of processor time has a low resolution. Absent: one run.
   */
  readonly sizePerRepetition?: number
}

const time = '2026-01-01T00:00:00Z'
const version = 'v3.200.0'
const prefix = 'urn:pulumi:dev::bench::'
const stackUrn = `${prefix}pulumi:pulumi:Stack::bench-dev`
const manager = await openManagerFromState({ type: 'b64', state: null }, undefined)

/** `sizePerRepetition` of the steps on objects in memory, and of those on texts or bytes. */
const [sizeInMemory, sizeInTexts] = [600_000, 50_000]

/**
 * Step → its preparation for a number of resources, or of entries in the steps that fold. Each step
 * keeps only its own input, because the garbage collector also visits unused inputs.
 */
export const codecSteps: ReadonlyMap<string, (size: number) => Promise<PreparedStep>> = new Map([
  ['decode', prepareDecode],
  ['encode', prepareEncode],
  ['fold', prepareFold],
  ['verify', prepareVerify],
  ['fold-texts', prepareFoldOfTexts],
  ['verify-bytes', prepareVerifyOfBytes],
  ['diff', prepareDiff],
])

async function prepareDecode(size: number): Promise<PreparedStep> {
  const blob = await printBlob(size)
  const run = async (): Promise<unknown> => {
    const { deployment } = await parseEnvelope(blob)
    return deployment === null ? undefined : decodeSnapshot(deployment, manager)
  }
  return { run }
}

async function prepareEncode(size: number): Promise<PreparedStep> {
  const snapshot = await decodeSnapshot(createDeployment(createResources(size)), manager)
  const run = async (): Promise<unknown> =>
    printStateBlob(await envelopeOf(await encodeSnapshot(snapshot, manager, 'sealed')))
  return { run }
}

async function prepareFold(size: number): Promise<PreparedStep> {
  const entries = createEntries(size)
  return { run: () => foldOnce(entries), sizePerRepetition: sizeInMemory }
}

async function prepareFoldOfTexts(size: number): Promise<PreparedStep> {
  const texts = createEntries(size).map(entry => JSON.stringify(encodeEntry(entry)))
  const run = async (): Promise<unknown> =>
    printStateBlob(await envelopeOf(foldOnce(decodeEntries(texts))))
  return { run, sizePerRepetition: sizeInTexts }
}

/** Decodes each entry when the fold needs it, so that only the states of the result are kept. */
function* decodeEntries(texts: readonly string[]): Generator<JournalEntry> {
  for (const text of texts) yield decodeEntry(JSON.parse(text))
}

async function prepareVerify(size: number): Promise<PreparedStep> {
  const { deployment } = await parseEnvelope(await printBlob(size))
  const run = (): unknown => (deployment === null ? undefined : verifyIntegrity(deployment))
  return { run, sizePerRepetition: sizeInMemory }
}

async function prepareVerifyOfBytes(size: number): Promise<PreparedStep> {
  const blob = await printBlob(size)
  const run = async (): Promise<unknown> => {
    const { deployment } = await parseEnvelope(blob)
    return deployment === null ? undefined : verifyIntegrity(deployment)
  }
  return { run, sizePerRepetition: sizeInTexts }
}

async function prepareDiff(size: number): Promise<PreparedStep> {
  const resources = createResources(size)
  const before = createDeployment(resources)
  const after = createDeployment(
    resources.map((resource, index) => (index % 10 === 0 ? { ...resource, id: 'new' } : resource)),
  )
  return { run: () => diffStates(before, after, () => undefined) }
}

async function printBlob(size: number): Promise<Uint8Array> {
  return printStateBlob(await envelopeOf(createDeployment(createResources(size))))
}

/** Folds the entries onto an empty state. */
function foldOnce(entries: Iterable<JournalEntry>): StoredDeployment {
  const options = { baseFeatures: [], now: time, version, sortResources }
  return completeReplay(replaySortedEntries(createDeployment([]), entries, options))
}

function createResources(size: number): readonly StoredResource[] {
  return Array.from({ length: size }, (_, index) => createResource(index))
}

/** Returns a resource of some 2.4 KB that depends on the previous one. */
function createResource(index: number): StoredResource {
  const urnOf = (position: number): string => `${prefix}pkg:index:Thing::thing-${position}`
  const properties = {
    name: `thing-${index}`,
    size: index,
    tags: { owner: 'bench', team: 'core' },
    text: 'x'.repeat(600),
    rules: Array.from({ length: 8 }, (_, rule) => ({ port: rule, cidr: '10.0.0.0/8', on: true })),
  }
  return {
    urn: urnOf(index),
    custom: true,
    id: `id-${index}`,
    type: 'pkg:index:Thing',
    inputs: properties,
    outputs: { ...properties, arn: `arn:bench:thing/${index}` },
    parent: stackUrn,
    ...(index === 0 ? {} : { dependencies: [urnOf(index - 1)] }),
    created: time,
    modified: time,
  }
}

function createDeployment(resources: readonly StoredResource[]): StoredDeployment {
  return {
    manifest: manifestOf(version, time),
    secrets_providers: { type: manager.type, state: manager.state },
    resources: [{ urn: stackUrn, custom: false, type: 'pulumi:pulumi:Stack' }, ...resources],
    metadata: {},
  }
}

/** Returns `size` entries of successful creates: a begin and an end of each. */
function createEntries(size: number): readonly JournalEntry[] {
  return createResources(Math.ceil(size / 2)).flatMap((created, index): readonly JournalEntry[] => {
    // A copy, because entries that are read from separate records share no objects.
    const resource = JSON.parse(JSON.stringify(created)) as StoredResource
    const [operation, sequence] = [index + 1, 2 * index + 1]
    return [
      { kind: 'begin', sequence, operation, pending: { resource, type: 'creating' } },
      { kind: 'success', sequence: sequence + 1, operation, state: resource },
    ]
  })
}
