import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackPackage } from '../../../shared/providers/terraform/install/unpack-package.ts'
import { unpackArchive } from '../../../shared/runtime/programs/unpack-stored-archive.ts'
import { openArchive } from '../../../shared/values/archive-members.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const scratch = mkdtempSync(join(tmpdir(), 'antichain-fuzz-'))
const inner = join(scratch, 'inner')

/** Unpacks into a new folder, and checks that nothing outside of it has changed. */
async function unpackSafely(unpack: (folder: string) => Promise<void>): Promise<void> {
  mkdirSync(join(inner, 'target'), { recursive: true })
  try {
    await unpack(join(inner, 'target'))
  } finally {
    const surplus = readdirSync(scratch).filter(name => !['inner', 'package.zip'].includes(name))
    rmSync(inner, { recursive: true, force: true })
    requireLaw(surplus.length === 0, 'an archive writes nothing outside of its folder')
  }
}

/** Archives: members of tar and zip files, and the unpackers of programs and packages. */
export const archivesTarget: FuzzTarget = {
  async decode(input) {
    // A zip file begins with the letters `PK`.
    const isZip = input[0] === 0x50
    await openArchive(isZip ? 'a.zip' : 'a.tar.gz', input)
    if (!isZip)
      return unpackSafely(targetFolder => unpackArchive(input, { targetFolder, name: 'archive' }))
    const file = join(scratch, 'package.zip')
    writeFileSync(file, input)
    return unpackSafely(folder => unpackPackage(file, folder, 'the package'))
  },
  close: async () => rmSync(scratch, { recursive: true }),
}
