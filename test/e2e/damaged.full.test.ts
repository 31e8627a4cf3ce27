import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

let place: Place

beforeEach(() => {
  place = createPlace('many')
})

afterEach(() => place.remove())

/** The records that nothing may change: all but heads that can be read, which get their ends. */
function readRecords(database: DatabaseSync): readonly unknown[] {
  const tables = ['log', 'outcome', 'head WHERE NOT json_valid(arrived)']
  return tables.flatMap(rows => database.prepare(`SELECT * FROM ${rows}`).all())
}

const damages = [
  {
    what: 'a record that is missing in the middle of its log',
    statement: `DELETE FROM log WHERE number = (SELECT MAX(number) / 2 FROM log)`,
    message: 'the log record (deployment organization/many/dev/1, number ',
  },
  {
    what: 'an outcome that is cut off',
    statement: `UPDATE outcome SET outcome = '{"cut' WHERE operation =
      (SELECT MIN(operation) FROM outcome)`,
    message: 'the outcome (deployment organization/many/dev/1, operation ',
  },
  {
    what: 'a head that is cut off',
    statement: `UPDATE head SET arrived = '{"cut' WHERE operation =
      (SELECT MIN(operation) FROM head)`,
    message: 'the head (deployment organization/many/dev/1, operation ',
  },
]

test.each(damages)(
  'an interrupted deployment with $what is told by its key, and a forced cancel gives it up',
  async ({ statement, message }) => {
    await initDevStack(place)
    const empty = (await place.run(['stack', 'export', '-s', 'dev'])).out
    const running = place.start([...upArgs, '-p', '8'])
    await waitUntil(() => place.listObjects().length >= 20, { what: '20 objects' })
    running.kill('SIGKILL', 'group')
    await running.done
    const database = new DatabaseSync(join(place.home, 'store', 'antichain.db'))
    database.exec(statement)
    const before = readRecords(database)
    for (const command of [
      ['stack', 'export', '-s', 'dev'],
      upArgs,
      ['resume', '-s', 'dev', '-y'],
      ['cancel', '-s', 'dev', '-y'],
    ]) {
      const ran = await place.run(command)
      expectRefused(ran, 'RECORD_DAMAGED', [message, 'antichain cancel --force'])
    }
    const cancelled = requireSuccess(await place.run(['cancel', '--force', '-s', 'dev', '-y']))
    expect(cancelled.err).toContain('It was given up')
    expect(cancelled.err).toContain(message)
    expect(readRecords(database)).toEqual(expect.arrayContaining([...before]))
    database.close()
    const file = join(place.home, 'empty.json')
    writeFileSync(file, empty)
    requireSuccess(await place.run(['stack', 'import', '-s', 'dev', '--file', file]))
    requireSuccess(await place.run([...upArgs, '-p', '8']))
    expect((await readStackState(place)).resources.length).toBeGreaterThan(50)
  },
)
