import { describe, expect, test } from 'vitest'
import { bothProtocols, type ContractOutcome, fail, passed, skip, warn } from './contract.ts'
import { formatJsonReport, formatJunitReport, formatTextReport } from './format-report.ts'
import type { ProviderReport, ReportEntry } from './report.ts'

function entryOf(
  id: string,
  outcome: ContractOutcome,
  fields: Partial<ReportEntry> = {},
): ReportEntry {
  const contract = {
    id,
    title: `title of ${id}`,
    source: 'ReadResource',
    severity: id === 'careful' ? ('warning' as const) : ('error' as const),
    protocols: bothProtocols,
    remedy: `Correct ${id}.`,
  }
  return { contract, type: undefined, outcome, durationMs: 120, ...fields }
}

const report: ProviderReport = {
  provider: 'shop',
  protocol: 'pulumi',
  description: 'Pulumi protocol',
  entries: [
    entryOf('start', passed),
    entryOf('create', fail('refused <b> & "c"\nsecond line\u0000'), { type: 'shop:index:A' }),
    entryOf('careful', fail('legacy'), { type: 'shop:index:A' }),
    entryOf('read', skip('no object'), { type: 'shop:index:A' }),
    entryOf('delete', { ...skip('r'), requiredContract: 'create' }, { type: 'shop:index:A' }),
    entryOf('update', { kind: 'not applicable', reason: 'no inputs' }, { type: 'shop:index:A' }),
  ],
  durationMs: 2_340,
}

describe('the report of a check', () => {
  test('as text has the reason and the next step of each violated contract', () => {
    expect(formatTextReport(report)).toEqual([
      'Provider shop (Pulumi protocol)',
      '',
      'Provider as a whole',
      '  ok      start    title of start (0.1s)',
      '',
      'shop:index:A',
      '  FAILED  create   title of create',
      '          refused <b> & "c"',
      '          second line\u0000',
      '          to do: Correct create.',
      '          source: ReadResource',
      '  WARNING careful  title of careful',
      '          legacy',
      '          to do: Correct careful.',
      '          source: ReadResource',
      '  skipped read     title of read',
      '          no object',
      '  -       no inputs: update',
      '  skipped because of the contracts above: delete',
      '',
      '1 passed, 1 failed, 1 warning, 2 skipped, 1 not applicable, in 2.3s',
    ])
  })

  test.each([
    [0, '0 warnings'],
    [1, '1 warning'],
    [2, '2 warnings'],
  ])('as text counts %i violated contracts with the severity warning as %s', (count, text) => {
    const entries = Array.from({ length: count }, () => entryOf('careful', fail('legacy')))
    const lines = formatTextReport({ ...report, entries: [entryOf('start', passed), ...entries] })
    expect(lines.at(-1)).toContain(`, ${text}, `)
  })

  test('as JSON has one object per contract and the counts', () => {
    const json = JSON.parse(formatJsonReport(report)) as {
      readonly summary: object
      readonly contracts: readonly object[]
    }
    expect(json.summary).toEqual({
      passed: 1,
      failed: 1,
      warnings: 1,
      skipped: 2,
      notApplicable: 1,
      durationMs: 2_340,
    })
    expect(json.contracts[0]).not.toHaveProperty('reason')
    expect(json.contracts[1]).toMatchObject({
      id: 'create',
      type: 'shop:index:A',
      result: 'failed',
      remedy: 'Correct create.',
    })
    const warnings = [fail('legacy'), warn('legacy')].map(outcome => entryOf('careful', outcome))
    const warningReport = JSON.parse(formatJsonReport({ ...report, entries: warnings })) as object
    const expected = { result: 'warning', remedy: 'Correct careful.' }
    expect(warningReport).toMatchObject({ contracts: [expected, expected] })
    expect(json.contracts.filter(contract => 'remedy' in contract)).toHaveLength(2)
  })

  test('as JUnit has a suite per type, failures and skipped cases, in valid XML', () => {
    expect(formatJunitReport(report)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="shop" tests="1" failures="0" skipped="0" time="0.120">
    <testcase classname="shop" name="start: title of start" time="0.120"/>
  </testsuite>
  <testsuite name="shop:index:A" tests="5" failures="1" skipped="3" time="0.600">
    <testcase classname="shop:index:A" name="create: title of create" time="0.120"><failure type="create" message="refused &lt;b&gt; &amp; &quot;c&quot;&#10;second line\ufffd">Correct create.</failure></testcase>
    <testcase classname="shop:index:A" name="careful: title of careful" time="0.120"><system-out>warning: legacy</system-out></testcase>
    <testcase classname="shop:index:A" name="read: title of read" time="0.120"><skipped message="no object"/></testcase>
    <testcase classname="shop:index:A" name="delete: title of delete" time="0.120"><skipped message="r"/></testcase>
    <testcase classname="shop:index:A" name="update: title of update" time="0.120"><skipped message="no inputs"/></testcase>
  </testsuite>
</testsuites>
`)
  })
})
