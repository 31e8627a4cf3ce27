import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { createCloud } from './cloud.ts'
import { openEngine, type Program } from './engine.ts'
import { registerThing } from './register-thing.ts'

/** The largest size of each kind of record, in bytes of its text. */
export type Sizes = Readonly<Record<string, number>>

/** The tables that store records. A deployment has many rows in some tables, and one in others. */
const tables = ['log', 'head', 'outcome', 'control', 'lease', 'stack', 'history', 'snapshot']

/** Returns a program that concurrently registers `count` things in components of ten. */
function createProgram(count: number, value: number): Program {
  return async monitor => {
    const registerMembers = async (number: number): Promise<void> => {
      const { urn } = await monitor.register({ type: 'test:index:Group', name: `group-${number}` })
      const members = Array.from({ length: 10 }, (_, index) =>
        registerThing(monitor, `thing-${number * 10 + index}`, { v: value }, { parent: urn }),
      )
      await Promise.all(members)
    }
    await Promise.all(Array.from({ length: count / 10 }, (_, number) => registerMembers(number)))
  }
}

/** Creates, changes and destroys a stack of this size, and measures the written records. */
export async function measureSizes(count: number): Promise<Sizes> {
  const engine = await openEngine(createCloud().script)
  let message = 0
  const onEffect = (name: string, [messages]: readonly unknown[]): void => {
    if (name !== 'chains.send') return
    for (const chainMessage of messages as readonly unknown[])
      message = Math.max(message, JSON.stringify(chainMessage).length)
  }
  try {
    const options = { parallel: 64, onEffect }
    await engine.run(createProgram(count, 1), options)
    await engine.run(createProgram(count, 2), { ...options, refresh: true })
    const { result } = await engine.run(undefined, { ...options, command: 'destroy' })
    expect(result.result).toBe('succeeded')
    return { ...measureRows(join(engine.home, 'store', 'antichain.db')), message }
  } finally {
    await engine.close()
  }
}

function measureRows(file: string): Sizes {
  const database = new DatabaseSync(file, { readOnly: true })
  const sizes = tables.map(table => {
    const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
    const bytes = columns.map(({ name }) => `coalesce(length(CAST(${String(name)} AS BLOB)), 0)`)
    const row = database.prepare(`SELECT max(${bytes.join(' + ')}) AS most FROM ${table}`).get()
    return [table, Number(row?.['most'])] as const
  })
  database.close()
  return Object.fromEntries(sizes)
}
