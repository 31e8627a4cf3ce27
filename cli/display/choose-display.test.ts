import { expect, test } from 'vitest'
import type { DeployResult } from '../../shared/engine/request.ts'
import { createDisplay } from './choose-display.ts'
import { formatElapsed } from './format-elapsed.ts'
import {
  createRecordingStream,
  createTestDisplayOptions,
  metadataOf,
  thingUrnOf,
} from './display.fixture.ts'

const interrupted: DeployResult = {
  result: 'interrupted',
  changes: {},
  hasChanges: true,
  pending: [{ urn: thingUrnOf('a'), type: 'pkg:index:Thing' }],
}

test('JSON output has one numbered event per line and nothing else on standard output', async () => {
  const stdout = createRecordingStream()
  const stderr = createRecordingStream()
  const display = createDisplay(createTestDisplayOptions({ json: true, stdout, stderr }))
  display.emit({ preludeEvent: { config: {} } })
  display.emit({ cancelEvent: {} })
  await display.finish(interrupted)
  const events = stdout
    .text()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(events.map(({ sequence }) => sequence)).toEqual([0, 1])
  expect(Object.keys(events[0])).toEqual(['sequence', 'timestamp', 'preludeEvent'])
  expect(Number.isInteger(events[0].timestamp)).toBe(true)
  expect(stderr.text()).toContain(thingUrnOf('a'))
})

test('on a terminal with colors, the title is a link to the dashboard', () => {
  const printTitle = (color: boolean): string => {
    const stdout = createRecordingStream({ isTTY: true, columns: 80, rows: 4 })
    const dashboard = 'http://127.0.0.1:7000/#/stacks/shop/dev'
    createDisplay(createTestDisplayOptions({ interactive: true, color, stdout, dashboard }))
    return stdout.text()
  }
  expect(printTitle(true)).toContain(
    '\u001b]8;;http://127.0.0.1:7000/#/stacks/shop/dev\u001b\\\u001b[1mUpdating stack dev',
  )
  expect(printTitle(false)).toBe('Updating stack dev\n')
})

test('the title says that an operation refreshes the resources first', () => {
  const stdout = createRecordingStream()
  createDisplay(createTestDisplayOptions({ kind: 'destroy', refreshesFirst: true, stdout }))
  expect(stdout.text()).toContain('Destroying stack dev, refreshing its resources first\n')
})

test('a terminal keeps the whole tree, the messages and the summary', async () => {
  const stdout = createRecordingStream({ isTTY: true, columns: 80, rows: 4 })
  const display = createDisplay(createTestDisplayOptions({ interactive: true, stdout }))
  const created = ['a', 'b', 'c', 'd', 'e', 'f'].map(name => metadataOf('create', name))
  for (const metadata of created) {
    display.emit({ resourcePreEvent: { metadata } })
    display.emit({ resOutputsEvent: { metadata } })
  }
  display.emit({ diagnosticEvent: { message: 'hello', color: 'raw', severity: 'info' } })
  await display.finish({ ...interrupted, result: 'succeeded', changes: { create: 6 }, pending: [] })
  const text = stdout.text()
  for (const { urn } of created) expect(text).toContain(`Thing  ${urn.at(-1)}  created`)
  expect(text).toContain('Messages:\n    hello')
  expect(text).toContain('+ 6 created')
})

test('a terminal keeps the tree and messages of a deployment that ends without a result', async () => {
  const stdout = createRecordingStream({ isTTY: true, columns: 80, rows: 4 })
  const display = createDisplay(createTestDisplayOptions({ interactive: true, stdout }))
  const metadata = metadataOf('create', 'a')
  display.emit({ resourcePreEvent: { metadata } })
  display.emit({ resOutputsEvent: { metadata } })
  display.emit({ diagnosticEvent: { message: 'disk full', color: 'raw', severity: 'error' } })
  display.emit({ cancelEvent: {} })
  expect(stdout.text()).toContain('Thing  a  created')
  expect(stdout.text()).toContain('error: disk full')
  const before = stdout.text()
  await display.finish({ ...interrupted, result: 'failed', pending: [] })
  expect(stdout.text().slice(before.length)).not.toContain('disk full')
})

test('colors are printed only when they are enabled', async () => {
  const printWith = async (color: boolean) => {
    const stdout = createRecordingStream()
    const display = createDisplay(createTestDisplayOptions({ color, stdout }))
    await display.finish(interrupted)
    return stdout.text()
  }
  expect(await printWith(false)).not.toContain('\u001b')
  expect(await printWith(true)).toContain('\u001b')
})

test('durations have tenths of seconds below 10 s, seconds below 1 h, and minutes above', () => {
  const texts = [0, 340, 9_949, 12_400, 65_000, 3_599_600, 7_380_000].map(formatElapsed)
  expect(texts).toEqual(['0.0s', '0.3s', '9.9s', '12s', '1m05s', '1h00m', '2h03m'])
})

test('a long listing is folded, but not if its rows show whole URNs', () => {
  const printTree = (urns: boolean): string => {
    const stdout = createRecordingStream({ isTTY: true, columns: 80, rows: 4 })
    const display = createDisplay(createTestDisplayOptions({ interactive: true, urns, stdout }))
    for (const type of ['pkg:index:Thing', 'pkg:index:Other'])
      for (let index = 0; index < 150; index += 1) {
        const urn = `urn:pulumi:dev::shop::${type}::r${index}`
        const metadata = metadataOf('create', `r${index}`, { urn, type })
        display.emit({ resOutputsEvent: { metadata } })
      }
    display.emit({ cancelEvent: {} })
    return stdout.text()
  }
  expect(printTree(false)).toMatch(/Thing +150 resources[^]*Other +150 resources/)
  const wholeTree = printTree(true)
  expect(wholeTree).not.toContain('resources')
  for (const type of ['pkg:index:Thing', 'pkg:index:Other'])
    expect(wholeTree).toContain(`urn:pulumi:dev::shop::${type}::r149`)
})
