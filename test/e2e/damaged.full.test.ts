import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { expectRefused } from './refused.ts'
import { initStack, stateOf, up } from './state.ts'

let place: Place

beforeEach(() => {
  place = createPlace('many')
})

afterEach(() => place.remove())

/** The records that nothing may change: all but heads that can be read, which get their ends. */
function records(database: DatabaseSync): readonly unknown[] {
  const asked = ['log', 'outcome', 'head WHERE NOT json_valid(arrived)']
  return asked.flatMap(rows => database.prepare(`SELECT * FROM ${rows}`).all())
}

const damages = [
  {
    what: 'a record that is missing in the middle of its log',
    statement: `DELETE FROM log WHERE number = (SELECT MAX(number) / 2 FROM log)`,
    said: 'the log record (deployment organization/many/dev/1, number ',
  },
  {
    what: 'an outcome that is cut off',
    statement: `UPDATE outcome SET outcome = '{"cut' WHERE operation =
      (SELECT MIN(operation) FROM outcome)`,
    said: 'the outcome (deployment organization/many/dev/1, operation ',
  },
  {
    what: 'a head that is cut off',
    statement: `UPDATE head SET arrived = '{"cut' WHERE operation =
      (SELECT MIN(operation) FROM head)`,
    said: 'the head (deployment organization/many/dev/1, operation ',
  },
]

test.each(damages)(
  'an interrupted deployment with $what is told by its key, and a forced cancel gives it up',
  async ({ statement, said }) => {
    await initStack(place)
    const empty = (await place.run(['stack', 'export', '-s', 'dev'])).out
    const running = place.start([...up, '-p', '8'])
    await until(() => place.objects().length >= 20, { what: '20 objects' })
    running.kill('SIGKILL', 'group')
    await running.done
    const database = new DatabaseSync(join(place.home, 'store', 'antichain.db'))
    database.exec(statement)
    const before = records(database)
    for (const command of [
      ['stack', 'export', '-s', 'dev'],
      up,
      ['resume', '-s', 'dev', '-y'],
      ['cancel', '-s', 'dev', '-y'],
    ]) {
      const ran = await place.run(command)
      expectRefused(ran, 'RECORD_DAMAGED', [said, 'antichain cancel --force'])
    }
    const cancelled = succeeded(await place.run(['cancel', '--force', '-s', 'dev', '-y']))
    expect(cancelled.err).toContain('It was given up')
    expect(cancelled.err).toContain(said)
    expect(records(database)).toEqual(expect.arrayContaining([...before]))
    database.close()
    const file = join(place.home, 'empty.json')
    writeFileSync(file, empty)
    succeeded(await place.run(['stack', 'import', '-s', 'dev', '--file', file]))
    succeeded(await place.run([...up, '-p', '8']))
    expect((await stateOf(place)).resources.length).toBeGreaterThan(50)
  },
)
