import type { StepMetadata } from '../../shared/engine/events/event.ts'
import type { Paint, Style } from './paint.ts'
import type { PropertyDiff, PropertyPath } from './property-diff.ts'
import { renderValue } from './render-value.ts'
import { type StepDiff, stepDiff } from './step-diff.ts'

const indent = '    '

/** The details below a step's line: what it is, then each property that differs. */
export function stepDetails(
  metadata: StepMetadata,
  isRefresh: boolean,
  paint: Paint,
): readonly string[] {
  const diff = stepDiff(metadata, isRefresh)
  const makesNew = metadata.op === 'create' || metadata.op === 'create-replacement'
  const id = (makesNew ? metadata.new : (metadata.old ?? metadata.new))?.id ?? ''
  const facts = [id === '' ? '' : `[id=${id}]`, `[urn=${metadata.urn}]`].filter(fact => fact !== '')
  return [
    ...facts.map(fact => paint('quiet', `${indent}${fact}`)),
    ...diffLines(diff, paint).map(line => `${indent}${line}`),
  ]
}

/** Each difference with its symbol: `+` new, `-` gone, `~` old => new; objects and lists opened up. */
export function diffLines(diff: StepDiff, paint: Paint): readonly string[] {
  return diff.diffs.flatMap(one => lines(one, one.path, { forcing: diff.forcing, paint }))
}

interface Context {
  readonly forcing: readonly PropertyPath[]
  readonly paint: Paint
}

/** `named` is the part of the path that the lines above do not say already. */
function lines(diff: PropertyDiff, named: PropertyPath, context: Context): readonly string[] {
  const name = nameOf(named)
  const isForcing = context.forcing.some(path => isSamePath(path, diff.path))
  const mark = isForcing ? context.paint('replace', ' (forces replacement)') : ''
  const painted = (style: Style, text: readonly string[]): readonly string[] =>
    text.map((line, at) => `${context.paint(style, line)}${at === 0 ? mark : ''}`)
  switch (diff.kind) {
    case 'add':
      return painted('add', titled(`+ ${name}`, renderValue(diff.new)))
    case 'remove':
      return painted('remove', titled(`- ${name}`, renderValue(diff.old)))
    case 'change':
      if (isLongText(diff.old) || isLongText(diff.new))
        return [
          ...painted('change', [`~ ${name}:`]),
          ...textLines(diff.old, diff.new, context.paint),
        ]
      return painted('change', titled(`~ ${name}`, arrow(diff.old, diff.new)))
    case 'nested': {
      const [open, close] = diff.isList ? ['[', ']'] : ['{', '}']
      const inside = diff.inside.flatMap(one => lines(one, one.path.slice(-1), context))
      return [
        ...painted('change', [`~ ${name}: ${open}`]),
        ...inside.map(line => `${indent}${line}`),
        context.paint('change', `  ${close}`),
      ]
    }
    default:
      return diff satisfies never
  }
}

function titled(title: string, value: readonly string[]): readonly string[] {
  const [first = '', ...rest] = value
  return [`${title}: ${first}`, ...rest.map(line => `  ${line}`)]
}

function arrow(old: unknown, next: unknown): readonly string[] {
  const before = renderValue(old)
  const [first = '', ...rest] = renderValue(next)
  return [...before.slice(0, -1), `${before.at(-1) ?? ''} => ${first}`, ...rest]
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.trimEnd().includes('\n')
}

/** Texts of several lines: the lines between what both begin and end with, and two lines around. */
function textLines(old: unknown, next: unknown, paint: Paint): readonly string[] {
  const before = linesOf(old)
  const after = linesOf(next)
  const shared = Math.min(before.length, after.length)
  let head = 0
  while (head < shared && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < shared - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const around = 2
  return [
    ...before.slice(Math.max(head - around, 0), head).map(line => `${indent}  ${line}`),
    ...before.slice(head, before.length - tail).map(line => paint('remove', `${indent}- ${line}`)),
    ...after.slice(head, after.length - tail).map(line => paint('add', `${indent}+ ${line}`)),
    ...after
      .slice(after.length - tail)
      .slice(0, around)
      .map(line => `${indent}  ${line}`),
  ]
}

function linesOf(value: unknown): readonly string[] {
  return isLongText(value) ? value.split('\n') : [...renderValue(value)]
}

/** A path as people write it: `tags.owner`, `rules[0].port`. */
function nameOf(path: PropertyPath): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join('')
}

function isSamePath(a: PropertyPath, b: PropertyPath): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at])
}
