import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from '../engine.ts'

const bytesPerMb = 1024 * 1024

/**
 * Packs the test provider with random bytes beside its code. Compression does not shrink random
 * bytes, so the archive has about `megabytes` MB, like that of a large provider.
 */
export function packLargePlugin(megabytes: number): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-plugin-'))
  try {
    const plugin = join(folder, 'plugin')
    cpSync(join(repositoryRoot, 'test/golden/provider'), plugin, { recursive: true })
    for (let writtenMb = 0; writtenMb < megabytes; writtenMb += 1)
      appendFileSync(join(plugin, 'padding'), randomBytes(bytesPerMb))
    const archive = join(folder, 'plugin.tar.gz')
    execFileSync('tar', ['--gzip', '-cf', archive, '-C', plugin, '.'])
    return readFileSync(archive)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
