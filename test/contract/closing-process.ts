/**
 * A process that owns a store, and closes it after a line on its standard input:
 * `closing-process.ts <home>`. Before that, it prints its role.
 */
import { once } from 'node:events'
import { openStore } from '../../shared/platform/embedded/store/store.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'

const store = await openStore({ home: process.argv[2] ?? '', logger: silentLogger })
process.stdout.write(`${store.getRole()}\n`)
await once(process.stdin, 'data')
process.stdin.destroy()
await store.close()
