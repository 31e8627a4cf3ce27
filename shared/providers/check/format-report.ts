import {
  type ProviderReport,
  countEntries,
  type EntryResult,
  formatSeconds,
  outcomeReasonOf,
  type ReportEntry,
  resultOf,
} from './report.ts'

/** The words for results in the text form of a report. */
const resultLabels: Readonly<Record<EntryResult, string>> = {
  passed: 'ok',
  failed: 'FAILED',
  warning: 'WARNING',
  skipped: 'skipped',
  'not applicable': '-',
}

/** Formats a report as text for a terminal. */
export function formatTextReport(report: ProviderReport): readonly string[] {
  const { provider, description, entries, durationMs } = report
  const types = [...new Set(entries.map(({ type }) => type))]
  const idWidth = Math.max(...entries.map(({ contract }) => contract.id.length))
  const counts = countEntries(report)
  return [
    `Provider ${provider}${description === '' ? '' : ` (${description})`}`,
    ...types.flatMap(type => [
      '',
      type ?? 'Provider as a whole',
      ...formatEntries(
        entries.filter(entry => entry.type === type),
        idWidth,
      ),
    ]),
    '',
    `${counts.passed} passed, ${counts.failed} failed, ` +
      `${counts.warnings} ${counts.warnings === 1 ? 'warning' : 'warnings'}, ` +
      `${counts.skipped} skipped, ${counts.notApplicable} not applicable, in ${formatSeconds(durationMs)}`,
  ]
}

/**
 * Formats entries. Contracts that do not apply share a line for each reason. Contracts that were
 * skipped because of other contracts share one line.
 */
function formatEntries(entries: readonly ReportEntry[], idWidth: number): readonly string[] {
  const isDependent = ({ outcome }: ReportEntry): boolean =>
    outcome.kind === 'skipped' && outcome.requiredContract !== undefined
  const isInapplicable = ({ outcome }: ReportEntry): boolean => outcome.kind === 'not applicable'
  const listIds = (group: readonly ReportEntry[]): string =>
    group.map(({ contract }) => contract.id).join(', ')
  const dependents = entries.filter(isDependent)
  const inapplicableByReason = Map.groupBy(entries.filter(isInapplicable), ({ outcome }) =>
    outcomeReasonOf(outcome),
  )
  return [
    ...entries
      .filter(entry => !isDependent(entry) && !isInapplicable(entry))
      .flatMap(entry => formatEntry(entry, idWidth)),
    ...[...inapplicableByReason].map(([reason, group]) => `  -       ${reason}: ${listIds(group)}`),
    ...(dependents.length === 0
      ? []
      : [`  skipped because of the contracts above: ${listIds(dependents)}`]),
  ]
}

function formatEntry(entry: ReportEntry, idWidth: number): readonly string[] {
  const { contract, outcome, durationMs } = entry
  const result = resultOf(entry)
  const label = resultLabels[result].padEnd(7)
  const head = `  ${label} ${contract.id.padEnd(idWidth)}  ${contract.title}`
  const reason = outcomeReasonOf(outcome)
  if (reason === undefined) return [`${head} (${formatSeconds(durationMs)})`]
  const indent = ' '.repeat(10)
  const isViolated = result === 'failed' || result === 'warning'
  return [
    head,
    ...reason.split('\n').map(line => `${indent}${line}`),
    ...(isViolated
      ? [`${indent}to do: ${contract.remedy}`, `${indent}source: ${contract.source}`]
      : []),
  ]
}

/** Formats a report as JSON, with one object per contract. */
export function formatJsonReport(report: ProviderReport): string {
  const { provider, protocol, description, entries, durationMs } = report
  const contracts = entries.map(entry => {
    const { contract, type, outcome } = entry
    const { id, title, source, severity, remedy } = contract
    const reason = outcomeReasonOf(outcome)
    const result = resultOf(entry)
    const isViolated = result === 'failed' || result === 'warning'
    return {
      id,
      ...(type === undefined ? {} : { type }),
      result,
      ...(reason === undefined ? {} : { reason }),
      ...(isViolated ? { remedy } : {}),
      title,
      source,
      severity,
      durationMs: Math.round(entry.durationMs),
    }
  })
  const summary = { ...countEntries(report), durationMs: Math.round(durationMs) }
  return JSON.stringify({ provider, protocol, description, summary, contracts }, null, 2)
}

/** Formats a report as JUnit XML: one suite per resource type. */
export function formatJunitReport(report: ProviderReport): string {
  const { provider, entries } = report
  const types = [...new Set(entries.map(({ type }) => type))]
  const suites = types.map(type => {
    const cases = entries.filter(entry => entry.type === type)
    const name = type ?? provider
    const count = (...results: readonly EntryResult[]): number =>
      cases.filter(entry => results.includes(resultOf(entry))).length
    const attributes = formatAttributes({
      name,
      tests: String(cases.length),
      failures: String(count('failed')),
      skipped: String(count('skipped', 'not applicable')),
      time: secondsOf(cases.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    })
    return [
      `  <testsuite ${attributes}>`,
      ...cases.map(entry => formatCase(entry, name)),
      '  </testsuite>',
    ].join('\n')
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`
}

function formatCase(entry: ReportEntry, classname: string): string {
  const { contract, outcome, durationMs } = entry
  const { id, title, remedy } = contract
  const attributes = formatAttributes({
    classname,
    name: `${id}: ${title}`,
    time: secondsOf(durationMs),
  })
  const reason = outcomeReasonOf(outcome) ?? ''
  switch (resultOf(entry)) {
    case 'passed':
      return `    <testcase ${attributes}/>`
    case 'failed': {
      const failure = `<failure ${formatAttributes({ type: id, message: reason })}>${escapeXml(remedy)}</failure>`
      return `    <testcase ${attributes}>${failure}</testcase>`
    }
    case 'warning':
      return `    <testcase ${attributes}><system-out>${escapeXml(`warning: ${reason}`)}</system-out></testcase>`
    case 'skipped':
    case 'not applicable':
      return `    <testcase ${attributes}><skipped ${formatAttributes({ message: reason })}/></testcase>`
  }
}

const secondsOf = (durationMs: number): string => (durationMs / 1000).toFixed(3)

function formatAttributes(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}="${escapeXml(value)}"`)
    .join(' ')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** Escapes a text for XML. Characters that XML forbids become a replacement character. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"\n]/g, character => entities[character] ?? character)
}
