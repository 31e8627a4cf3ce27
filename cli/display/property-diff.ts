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
import { removeHiddenDiffs } from './hidden-diffs.ts'
import { type DiffLine, diffTextLines } from './line-diff.ts'
import { removeControls } from './paint.ts'
import { parseStructuredText } from './structured-text.ts'

type Detail = NonNullable<StepMetadata['detailedDiff']>[string]

/**
 * Returns the property changes of a step. With `outputs`, for the result of a refresh, only outputs
 * are compared. With `inputs`, the provider's detailed diff has priority over a comparison of
 * inputs. A property that the provider names is listed even if both shown values are equal, as for
 * secrets. The paths at which `hideDiffs` hid differences are listed last, without values.
 */
export function diffProperties(
  stepMetadata: StepMetadata,
  comparedField: 'inputs' | 'outputs',
): readonly DiffLine[] {
  const { metadata, effectivePaths } = removeHiddenDiffs(stepMetadata)
  const lines = diffMetadata(metadata, comparedField)
  return [
    ...lines,
    ...effectivePaths.map(text => ({ mark: '~' as const, depth: 0, text: `${text} (hidden)` })),
  ]
}

function diffMetadata(
  metadata: StepMetadata,
  comparedField: 'inputs' | 'outputs',
): readonly DiffLine[] {
  const { old, new: next, detailedDiff } = metadata
  if (metadata.op === 'same' || metadata.op === 'read') return []
  if (old === null) return next === null ? [] : formatEntries('+', next.inputs, 0)
  if (next === null) return formatEntries('-', old.inputs, 0)
  if (comparedField === 'outputs') return diffMaps(old.outputs, next.outputs, 0)
  if (detailedDiff !== null && Object.keys(detailedDiff).length > 0)
    return diffDetailed(metadata, detailedDiff)
  const lines = diffMaps(old.inputs, next.inputs, 0)
  const listedKeys = (metadata.diffs ?? []).filter(
    key => isSameValue(old.inputs[key], next.inputs[key]) && Object.hasOwn(next.inputs, key),
  )
  return [
    ...lines,
    ...listedKeys.flatMap(key =>
      diffValues(formatKey(key), [old.inputs[key], next.inputs[key]], 0),
    ),
  ]
}

/** Returns the diff of two maps, entry by entry, with keys in alphabetical order. */
export function diffMaps(old: EventMap, next: EventMap, depth: number): readonly DiffLine[] {
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])].toSorted()
  return keys.flatMap(key => {
    // Internal values of the SDK, such as the code of a dynamic provider, are too long to show. If
    // such a value changes, `diffValues` lists only its key.
    if (isInternal(key) && !(Object.hasOwn(old, key) && Object.hasOwn(next, key))) return []
    if (!Object.hasOwn(old, key)) return formatEntry('+', formatKey(key), next[key], depth)
    if (!Object.hasOwn(next, key)) return formatEntry('-', formatKey(key), old[key], depth)
    return isSameValue(old[key], next[key])
      ? []
      : diffValues(formatKey(key), [old[key], next[key]], depth)
  })
}

/**
 * Returns the entries of a map, all with the same mark. Internal keys of the SDK (`__…`) are
 * omitted.
 */
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
  details: Readonly<Record<string, Detail>>,
): readonly DiffLine[] {
  return Object.keys(details)
    .toSorted()
    .flatMap(path => {
      const detail = details[path]
      return detail === undefined ? [] : diffDetail(metadata, path, detail)
    })
}

/**
 * Returns the diff of one property. The old value is an output, unless the provider reports that it
 * compared inputs.
 */
function diffDetail(metadata: StepMetadata, path: string, detail: Detail): readonly DiffLine[] {
  const old = findValue(detail.inputDiff ? metadata.old?.inputs : metadata.old?.outputs, path)
  const next = findValue(metadata.new?.inputs, path)
  const pathText = removeControls(path)
  const label = detail.diffKind.endsWith('-replace') ? `${pathText} (forces replacement)` : pathText
  if (detail.diffKind.startsWith('add')) return formatEntry('+', label, next, 0)
  if (detail.diffKind.startsWith('delete')) return formatEntry('-', label, old, 0)
  return diffValues(label, [old, next], 0)
}

/** Returns the value at a provider's path, or undefined if it does not exist. */
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
    // Providers may use any text as a path. An invalid path is treated as a key.
    return [path]
  }
}

/**
 * Returns the diff of a changed value. Two maps or lists, also in JSON and YAML, are compared entry
 * by entry. Two texts are compared line by line if one has several lines. Otherwise the diff is
 * `old => new`.
 */
function diffValues(
  label: string,
  [old, next]: readonly [unknown, unknown],
  depth: number,
): readonly DiffLine[] {
  const renderMarkedLine = (text: string): DiffLine => ({ mark: '~', depth, text })
  if (isInternal(label)) return [renderMarkedLine(label)]
  if (!isSameValue(old, next)) {
    if (isEventMap(old) && isEventMap(next))
      return [renderMarkedLine(`${label}:`), ...diffMaps(old, next, depth + 1)]
    if (isEventList(old) && isEventList(next))
      return [renderMarkedLine(`${label}:`), ...diffLists(old, next, depth + 1)]
  }
  const structureLines = diffStructuredTexts(label, [old, next], depth)
  if (structureLines !== undefined) return structureLines
  if (typeof old === 'string' && typeof next === 'string' && old !== next)
    if (isMultiLineText(old) || isMultiLineText(next))
      return [renderMarkedLine(`${label}:`), ...diffTextLines(old, next, depth + 1)]
  return [renderMarkedLine(`${label}: ${formatValue(old)} => ${formatValue(next)}`)]
}

/**
 * Returns the diff of the maps or lists in two texts of the same format. Returns undefined for
 * other texts, and if only white space or comments differ.
 */
function diffStructuredTexts(
  label: string,
  [old, next]: readonly [unknown, unknown],
  depth: number,
): readonly DiffLine[] | undefined {
  const [before, after] = [parseStructuredText(old), parseStructuredText(next)]
  if (before === undefined || before.format !== after?.format) return undefined
  if (isEventList(before.value) !== isEventList(after.value)) return undefined
  if (isSameValue(before.value, after.value)) return undefined
  return diffValues(`${label} (${before.format})`, [before.value, after.value], depth)
}

function diffLists(
  old: readonly unknown[],
  next: readonly unknown[],
  depth: number,
): readonly DiffLine[] {
  const longerList = old.length > next.length ? old : next
  return longerList.flatMap((_, index) => {
    const key = `[${index}]`
    if (index >= old.length) return formatEntry('+', key, next[index], depth)
    if (index >= next.length) return formatEntry('-', key, old[index], depth)
    return isSameValue(old[index], next[index])
      ? []
      : diffValues(key, [old[index], next[index]], depth)
  })
}

/**
 * Returns the lines of an added, deleted or unchanged value. Shows maps and lists entry by entry,
 * also in JSON and YAML, and other texts line by line.
 */
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
      ...value.flatMap((item, index) => formatEntry(mark, `[${index}]`, item, depth + 1)),
    ]
  const structure = parseStructuredText(value)
  if (structure !== undefined)
    return formatEntry(mark, `${label} (${structure.format})`, structure.value, depth)
  if (isMultiLineText(value))
    return [
      { mark, depth, text: `${label}:` },
      ...splitLines(value).map(line => ({ mark, depth: depth + 1, text: JSON.stringify(line) })),
    ]
  return [{ mark, depth, text: value === undefined ? label : `${label}: ${formatValue(value)}` }]
}

function isMultiLineText(value: unknown): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n')
}

/** Returns the lines of a text. A line break at its end begins no further line. */
function splitLines(text: string): readonly string[] {
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function isInternal(key: string): boolean {
  return key.startsWith('__')
}
