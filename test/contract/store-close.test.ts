import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openStore } from '../../shared/platform/embedded/store/store.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'

// The signals must arrive in the last moments of the owner, so the test has some rounds.
test.each([1, 2, 3, 4, 5])(
  'an owner that gets signals while it closes ends normally, %i',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'antichain-close-'))
    const script = join(import.meta.dirname, 'closing-process.ts')
    const child = spawn(process.execPath, [script, home], { stdio: ['pipe', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    expect(String(await once(child.stdout, 'data'))).toBe('owner\n')
    const store = await openStore({ home, logger: silentLogger })
    expect(store.getRole()).toBe('client')
    child.stdin.write('close\n')
    while (child.exitCode === null && child.signalCode === null) {
      store.signal({ topic: 'chains' })
      await nextTurn()
    }
    expect(await exit).toEqual([0, null])
    await store.close()
    rmSync(home, { recursive: true, force: true })
  },
)
