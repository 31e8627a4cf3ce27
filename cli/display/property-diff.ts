import type { StepMetadata } from '../../shared/engine/events/event.ts'
import { parsePath } from '../../shared/values/path.ts'
import {
  type EventMap,
  isEventList,
  isEventMap,
  isSameValue,
  formatKey,
  formatValue,
} from './event-value.ts'
import { withoutHidden } from './hidden-diffs.ts'
import { removeControls } from './paint.ts'

/** One line of a difference; `depth` counts levels of nesting. */
export interface DiffLine {
  readonly mark: '+' | '-' | '~' | ' '
  readonly depth: number
  readonly text: string
}

type Detail = NonNullable<StepMetadata['detailedDiff']>[string]

/**
 * What a step changes, property by property. The provider's detailed difference decides when there
 * is one; else inputs are compared (`compared`: outputs, for what a refresh found). A property that
 * the provider names but whose shown values agree, as secrets do, is listed all the same.
 */
export function diffProperties(
  whole: StepMetadata,
  compared: 'inputs' | 'outputs',
): readonly DiffLine[] {
  const { metadata, hidden } = withoutHidden(whole)
  const lines = diffMetadata(metadata, compared)
  return [
    ...lines,
    ...hidden.map(text => ({ mark: '~' as const, depth: 0, text: `${text} (hidden)` })),
  ]
}

function diffMetadata(metadata: StepMetadata, compared: 'inputs' | 'outputs'): readonly DiffLine[] {
  const { old, new: next, detailedDiff } = metadata
  if (metadata.op === 'same' || metadata.op === 'read') return []
  if (old === null) return next === null ? [] : formatEntries('+', next.inputs, 0)
  if (next === null) return formatEntries('-', old.inputs, 0)
  if (compared === 'outputs') return diffMaps(old.outputs, next.outputs, 0)
  if (detailedDiff !== null && Object.keys(detailedDiff).length > 0)
    return diffDetailed(metadata, detailedDiff)
  const lines = diffMaps(old.inputs, next.inputs, 0)
  const named = (metadata.diffs ?? []).filter(
    key => isSameValue(old.inputs[key], next.inputs[key]) && Object.hasOwn(next.inputs, key),
  )
  return [
    ...lines,
    ...named.flatMap(key => diffValues(formatKey(key), [old.inputs[key], next.inputs[key]], 0)),
  ]
}

/** The difference of two maps, entry by entry, keys in order of the alphabet. */
export function diffMaps(old: EventMap, next: EventMap, depth: number): readonly DiffLine[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted()
  return keys.flatMap(key => {
    if (!Object.hasOwn(old, key)) return formatEntry('+', formatKey(key), next[key], depth)
    if (!Object.hasOwn(next, key)) return formatEntry('-', formatKey(key), old[key], depth)
    return isSameValue(old[key], next[key])
      ? []
      : diffValues(formatKey(key), [old[key], next[key]], depth)
  })
}

/** Every entry of a map with one mark; what is internal to the SDK (`__…`) is left out. */
export function formatEntries(
  mark: '+' | '-' | ' ',
  map: EventMap,
  depth: number,
): readonly DiffLine[] {
  return Object.keys(map)
    .filter(key => !isInternal(key))
    .toSorted()
    .flatMap(key => formatEntry(mark, formatKey(key), map[key], depth))
}

function diffDetailed(
  metadata: StepMetadata,
  detailed: Readonly<Record<string, Detail>>,
): readonly DiffLine[] {
  return Object.keys(detailed)
    .toSorted()
    .flatMap(path => {
      const detail = detailed[path]
      return detail === undefined ? [] : diffDetail(metadata, path, detail)
    })
}

/** The old value is an output unless the provider says that it compared inputs. */
function diffDetail(metadata: StepMetadata, path: string, detail: Detail): readonly DiffLine[] {
  const old = findValue(detail.inputDiff ? metadata.old?.inputs : metadata.old?.outputs, path)
  const next = findValue(metadata.new?.inputs, path)
  const place = removeControls(path)
  const label = detail.diffKind.endsWith('-replace') ? `${place} (forces replacement)` : place
  if (detail.diffKind.startsWith('add')) return formatEntry('+', label, next, 0)
  if (detail.diffKind.startsWith('delete')) return formatEntry('-', label, old, 0)
  return diffValues(label, [old, next], 0)
}

/** The value at a path of a provider; undefined when there is none or the path cannot be read. */
function findValue(map: EventMap | undefined, path: string): unknown {
  let value: unknown = map
  for (const segment of segmentsOf(path)) {
    if (typeof segment === 'number' && isEventList(value)) value = value[segment]
    else if (typeof segment === 'string' && isEventMap(value) && Object.hasOwn(value, segment))
      value = value[segment]
    else return undefined
  }
  return value
}

function segmentsOf(path: string): ReturnType<typeof parsePath> {
  try {
    return parsePath(path)
  } catch {
    // Providers are free in what they call a path; one that is none names a key.
    return [path]
  }
}

/** A value that changed: nested where both sides are, else `old => new`. */
function diffValues(
  label: string,
  [old, next]: readonly [unknown, unknown],
  depth: number,
): readonly DiffLine[] {
  const markedLine = (text: string): DiffLine => ({ mark: '~', depth, text })
  // Values of the SDK's own properties (a dynamic provider's code) would fill screens.
  if (isInternal(label)) return [markedLine(label)]
  if (!isSameValue(old, next)) {
    if (isEventMap(old) && isEventMap(next))
      return [markedLine(`${label}:`), ...diffMaps(old, next, depth + 1)]
    if (isEventList(old) && isEventList(next))
      return [markedLine(`${label}:`), ...diffLists(old, next, depth + 1)]
  }
  if (isText(old) && isText(next) && old !== next)
    return [markedLine(`${label}:`), ...diffTexts(old, next, depth + 1)]
  return [markedLine(`${label}: ${formatValue(old)} => ${formatValue(next)}`)]
}

function diffLists(
  old: readonly unknown[],
  next: readonly unknown[],
  depth: number,
): readonly DiffLine[] {
  const longer = old.length > next.length ? old : next
  return longer.flatMap((_, at) => {
    const key = `[${at}]`
    if (at >= old.length) return formatEntry('+', key, next[at], depth)
    if (at >= next.length) return formatEntry('-', key, old[at], depth)
    return isSameValue(old[at], next[at]) ? [] : diffValues(key, [old[at], next[at]], depth)
  })
}

/** One value with one mark: maps and lists entry by entry. */
function formatEntry(
  mark: '+' | '-' | ' ',
  label: string,
  value: unknown,
  depth: number,
): readonly DiffLine[] {
  if (isEventMap(value) && Object.keys(value).length > 0)
    return [{ mark, depth, text: `${label}:` }, ...formatEntries(mark, value, depth + 1)]
  if (isEventList(value) && value.length > 0)
    return [
      { mark, depth, text: `${label}:` },
      ...value.flatMap((item, at) => formatEntry(mark, `[${at}]`, item, depth + 1)),
    ]
  return [{ mark, depth, text: value === undefined ? label : `${label}: ${formatValue(value)}` }]
}

/** Whether a value is a text of several lines. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n')
}

/**
 * The lines of a text that changed: what is between the equal lines at its start and at its end.
 */
function diffTexts(old: string, next: string, depth: number): readonly DiffLine[] {
  const [before, after] = [old.split('\n'), next.split('\n')]
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const lines = (mark: '+' | '-', from: readonly string[]): readonly DiffLine[] =>
    from.slice(start, from.length - end).map(line => ({ mark, depth, text: JSON.stringify(line) }))
  return [...lines('-', before), ...lines('+', after)]
}

function isInternal(key: string): boolean {
  return key.startsWith('__')
}
