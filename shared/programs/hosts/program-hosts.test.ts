import { expect, test } from 'vitest'
import type { ProcessesPort } from '../../ports/system.ts'
import { createProgramHosts } from './program-hosts.ts'

// `constructor` is a field of every plain object, and such a field is no host.
test.each(['constructor', '__proto__', 'toy'])(
  'the runtime %s without a host on the PATH is unknown',
  async runtime => {
    const hosts = createProgramHosts({
      processes: {} as ProcessesPort,
      ...{ env: {}, antichainNode: '', engineAddress: () => '' },
    })
    const folders = { projectFolder: '/p', programFolder: '/p' }
    const source = { runtime, ...folders, entryPoint: '.', runtimeOptions: {} }
    const listing = (async () => hosts.listPackages(source))()
    await expect(listing).rejects.toMatchObject({ code: 'RUNTIME_UNKNOWN' })
  },
)
