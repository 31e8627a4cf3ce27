import { describe, expect, test } from 'vitest'
import type { StepOp } from '../../shared/records/operation.ts'
import { thingUrnOf } from './display.fixture.ts'
import { renderFrame, renderLine, formatWaiting } from './live-frame.ts'
import { createPaint } from './paint.ts'
import type { ResourceRow } from './progress.ts'
import { fitLines, renderTree } from './tree.ts'

const plain = createPaint(false)

const rowOf = (name: string, op: StepOp, more: Partial<ResourceRow> = {}): ResourceRow => ({
  urn: thingUrnOf(name),
  type: 'T',
  name,
  parent: '',
  op,
  id: '',
  custom: true,
  status: 'done',
  startedMs: 0,
  endedMs: 1000,
  isReplaced: false,
  changedKeys: [],
  ...more,
})

const createRunningRow = (name: string, startedMs: number): ResourceRow =>
  rowOf(name, 'create', { status: 'running', startedMs, endedMs: undefined })

const printTree = (rows: readonly ResourceRow[], height = 100) =>
  fitLines(renderTree({ rows, messages: new Map(), nowMs: 5000, isPreview: false }), height).map(
    line => renderLine(line.segments, 80, plain),
  )

describe('tree', () => {
  test('a long final listing has one line for equal resources, and failures have lines of their own', () => {
    const rows = [
      rowOf('root', 'create', { custom: false }),
      ...Array.from({ length: 1500 }, (_, index) =>
        rowOf(`b${index}`, 'create', {
          parent: thingUrnOf('root'),
          ...(index === 7 ? { status: 'failed' as const } : {}),
        }),
      ),
      rowOf('c', 'update', { parent: thingUrnOf('root') }),
    ]
    const print = (mustFold: boolean) =>
      renderTree({ rows, messages: new Map(), nowMs: 5000, isPreview: false, mustFold }).map(line =>
        renderLine(line.segments, 80, plain),
      )
    expect(print(true)).toEqual([
      ' +  T     root             created',
      ' +  ├─ T  1,499 resources  created',
      ' +  ├─ T  b7               creating failed (1.0s)',
      ' ~  └─ T  c                updated (1.0s)',
    ])
    expect(print(false)).toHaveLength(1502)
  })

  test('resources are listed below their parents, in order of appearance', () => {
    const rows = [
      rowOf('root', 'create', { custom: false }),
      rowOf('b', 'create', { parent: thingUrnOf('root') }),
      rowOf('other', 'update'),
      rowOf('c', 'delete', { parent: thingUrnOf('b') }),
      rowOf('a', 'create', { parent: thingUrnOf('root') }),
    ]
    expect(printTree(rows)).toEqual([
      ' +  T        root   created',
      ' +  ├─ T     b      created (1.0s)',
      ' -  │  └─ T  c      deleted (1.0s)',
      ' +  └─ T     a      created (1.0s)',
      ' ~  T        other  updated (1.0s)',
    ])
  })

  test('an update names its changed properties, and columns are aligned', () => {
    const rows = [
      rowOf('first', 'update', { changedKeys: ['size', 'tags'] }),
      rowOf('b', 'update', { changedKeys: ['a', 'b', 'c', 'd', 'e', 'f'], endedMs: 12_000 }),
    ]
    expect(printTree(rows)).toEqual([
      ' ~  T  first  updated (1.0s)  ~ size, tags',
      ' ~  T  b      updated (12s)   ~ a, b, c, d, e, …',
    ])
  })

  test('unchanged resources are shown only above changing ones', () => {
    const rows = [
      rowOf('root', 'same'),
      rowOf('quiet', 'same', { parent: thingUrnOf('root') }),
      { ...createRunningRow('busy', 2000), parent: thingUrnOf('root') },
    ]
    expect(printTree(rows)).toEqual(['    T     root', ' +  └─ T  busy  creating 3.0s'])
  })

  test('a completed replacement is shown as one replacement', () => {
    expect(printTree([rowOf('a', 'delete-replaced', { isReplaced: true })])).toEqual([
      ' +- T  a  replaced (1.0s)',
    ])
  })

  test('a cycle of parents does not block the tree', () => {
    const rows = [
      rowOf('a', 'create', { parent: thingUrnOf('b') }),
      rowOf('b', 'create', { parent: thingUrnOf('a') }),
      rowOf('c', 'create', { parent: thingUrnOf('c') }),
    ]
    expect(printTree(rows)).toEqual([' +  T  c  created (1.0s)'])
  })

  test('an overlong tree first omits ended steps, and counts the omitted lines', () => {
    const rows = [createRunningRow('x', 0), ...['a', 'b', 'c'].map(name => rowOf(name, 'create'))]
    expect(printTree(rows, 3)).toEqual([
      '    … 2 more',
      ' +  T  x  creating 5.0s',
      ' +  T  c  created (1.0s)',
    ])
    expect(printTree([...rows, createRunningRow('y', 0), createRunningRow('z', 0)], 3)).toEqual([
      '    … 4 more',
      ' +  T  y  creating 5.0s',
      ' +  T  z  creating 5.0s',
    ])
  })
})

describe('frame', () => {
  const input = { messages: new Map(), nowMs: 9000, startedMs: 0, isPreview: false, columns: 60 }

  test('the totals and the running steps are below the tree', () => {
    const rows = [rowOf('a', 'create'), rowOf('s', 'same'), createRunningRow('b', 0)]
    expect(renderFrame({ ...input, rows, height: 24 }, plain).slice(-3)).toEqual([
      '',
      '    1 done, 1 unchanged, 1 running  9.0s',
      '    waiting for b (creating)',
    ])
  })

  test('the latest warning without a resource is below the totals', () => {
    const text = 'Stopping'
    const notice = { severity: 'warning', urn: '', subject: '', text, ephemeral: false } as const
    const frame = renderFrame(
      { ...input, messages: new Map([['', notice]]), rows: [], height: 9 },
      plain,
    )
    expect(frame.at(-1)).toBe('    Stopping')
  })

  test('a frame is never higher than the terminal, and no line is wider', () => {
    const long = 'x'.repeat(100)
    const rows = Array.from({ length: 50 }, (_, index) =>
      createRunningRow(`${long}${index}`, index),
    )
    const frame = renderFrame({ ...input, rows, height: 10 }, plain)
    expect(frame.length).toBe(9)
    expect(Math.max(...frame.map(line => line.length))).toBe(60)
  })

  test('the longest running steps are named, and the others are counted', () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map((name, index) => createRunningRow(name, index))
    expect(formatWaiting(rows, false)).toBe('a (creating), b (creating), c (creating) and 2 more')
    expect(formatWaiting([], false)).toBe('the next registration or step')
  })
})
