/**
 * The table of partitions in docs/aws.md, compared with the policies of the template. A false
 * statement about permissions misleads the person who judges the risk. The test runs with the tests
 * of AWS, because it needs the template.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { functionsTable } from '../../infra/functions-table.ts'
import { projectFolder } from '../house/sources.ts'
import { type Statement, synthesise } from './synthesise.ts'

const { listAllowStatements: statements, listDenyStatements: denials } = synthesise()
const page = readFileSync(join(projectFolder, 'docs', 'aws.md'), 'utf8')

/** One action for each column of the table: reads, puts and changes, and removes. */
const columns = ['dynamodb:Query', 'dynamodb:PutItem', 'dynamodb:BatchWriteItem'] as const
const tables = { journal: 'DataJournal', catalog: 'DataCatalog' } as const

const patternsOf = ({ conditions }: Statement): readonly string[] | undefined => {
  const [patterns] = Object.entries(conditions).flatMap(([operator, fields]) =>
    operator.endsWith(':StringLike') ? [fields['dynamodb:LeadingKeys']] : [],
  )
  return patterns === undefined ? undefined : [patterns].flat().map(String)
}

const quote = (patterns: readonly string[]): string =>
  patterns.map(pattern => `\`${pattern}\``).join(', ')

/** Returns the partitions for which a role allows an action on a table, as the page prints them. */
function describeUse(processName: string, table: string, action: string): string {
  const concerns = (statement: Statement): boolean =>
    statement.actions.includes(action) && statement.resources.join().includes(table)
  const allowed = statements(processName).filter(concerns)
  if (allowed.length === 0) return 'none'
  const denied = denials(processName)
    .filter(concerns)
    .flatMap(statement => patternsOf(statement) ?? [])
  const isWhole = allowed.some(statement => patternsOf(statement) === undefined)
  if (isWhole) return denied.length === 0 ? 'all' : `all but ${quote(denied)}`
  return quote(allowed.flatMap(statement => patternsOf(statement) ?? []))
}

const rowsOf = (processName: string): readonly string[] =>
  Object.entries(tables).map(([name, table]) => {
    const uses = columns.map(action => describeUse(processName, table, action))
    return `| ${[processName, name, ...uses].join(' | ')} |`
  })

test('the table of partitions in docs/aws.md has the permissions of each function', () => {
  const start = page.indexOf('| Function | Table | Reads |')
  const rows = page.slice(start, page.indexOf('\n\n', start)).split('\n').slice(2)
  expect(rows).toEqual(functionsTable.flatMap(({ name }) => rowsOf(name)))
})

test('a task of the long pool has the same partitions as its function', () => {
  const names = functionsTable.flatMap(({ name, longEntry }) =>
    longEntry === undefined ? [] : [name],
  )
  expect(names.length).toBeGreaterThan(0)
  for (const name of names)
    expect(rowsOf(`long-${name}`)).toEqual(rowsOf(name).map(row => row.replace('| ', '| long-')))
})

test('the API writes only control and usage records to the journal, and removes nothing there', () => {
  const api = statements('api').filter(({ resources }) => resources.join().includes('DataJournal'))
  const actions = new Set(api.flatMap(statement => statement.actions))
  expect([...actions].filter(action => /Delete|BatchWrite/.test(action))).toEqual([])
  const writes = api.filter(statement => statement.actions.includes('dynamodb:PutItem'))
  expect(writes.map(patternsOf)).toEqual([['control *', 'usage *']])
})
