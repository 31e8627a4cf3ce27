import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let sandbox: Sandbox

beforeEach(() => {
  sandbox = createSandbox('many')
})

afterEach(() => sandbox.remove())

/**
 * Returns the records that no command may change: all except readable heads, which get their ends.
 */
function readRecords(database: DatabaseSync): readonly unknown[] {
  const tables = ['log', 'outcome', 'head WHERE NOT json_valid(arrived)']
  return tables.flatMap(rows => database.prepare(`SELECT * FROM ${rows}`).all())
}

const damages = [
  {
    what: 'a record missing in the middle of its log',
    statement: `DELETE FROM log WHERE number = (SELECT MAX(number) / 2 FROM log)`,
    message: 'the log record (deployment organization/many/dev/1, number ',
  },
  {
    what: 'a truncated outcome',
    statement: `UPDATE outcome SET outcome = '{"cut' WHERE operation =
      (SELECT MIN(operation) FROM outcome)`,
    message: 'the outcome (deployment organization/many/dev/1, operation ',
  },
  {
    what: 'a truncated head',
    statement: `UPDATE head SET arrived = '{"cut' WHERE operation =
      (SELECT MIN(operation) FROM head)`,
    message: 'the head (deployment organization/many/dev/1, operation ',
  },
]

test.each(damages)(
  'commands on an interrupted deployment with $what name the record by its key, and a forced cancel abandons the deployment',
  async ({ statement, message }) => {
    await initDevStack(sandbox)
    const emptyExport = (await sandbox.run(['stack', 'export', '-s', 'dev'])).out
    const running = sandbox.start([...upArgs, '-p', '8'])
    await waitUntil(() => sandbox.listObjects().length >= 20, { condition: '20 objects' })
    running.kill('SIGKILL', 'group')
    await running.done
    const database = new DatabaseSync(join(sandbox.home, 'store', 'antichain.db'))
    database.exec(statement)
    const before = readRecords(database)
    for (const command of [
      ['stack', 'export', '-s', 'dev'],
      upArgs,
      ['resume', '-s', 'dev', '-y'],
      ['cancel', '-s', 'dev', '-y'],
    ]) {
      const result = await sandbox.run(command)
      expectRefused(result, 'RECORD_DAMAGED', [message, 'antichain cancel --force'])
    }
    const cancelled = requireSuccess(await sandbox.run(['cancel', '--force', '-s', 'dev', '-y']))
    expect(cancelled.err).toContain('The stack was released')
    expect(cancelled.err).toContain(message)
    expect(readRecords(database)).toEqual(expect.arrayContaining([...before]))
    database.close()
    const file = join(sandbox.home, 'empty.json')
    writeFileSync(file, emptyExport)
    requireSuccess(await sandbox.run(['stack', 'import', '-s', 'dev', '--file', file]))
    requireSuccess(await sandbox.run([...upArgs, '-p', '8']))
    expect((await readStackState(sandbox)).resources.length).toBeGreaterThan(50)
  },
)
