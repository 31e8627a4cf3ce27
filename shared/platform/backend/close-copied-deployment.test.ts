import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fenceCopy, listJournalCopies, putCopyPart } from '../../backends/journal-copies.ts'
import { openBackend } from '../../backends/open-backend.ts'
import { createEmptyCheckpoint } from '../../backends/stack-objects.ts'
import { deploymentIdOf, type EpochMs, stackIdOf } from '../../records/ids.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { closeCopiedDeployment } from './close-copied-deployment.ts'

const id = stackIdOf('shop', 'dev')

test.each(['succeeds', 'fails'])(
  'a close of a copied deployment that %s leaves no store behind',
  async result => {
    const root = mkdtempSync(join(tmpdir(), 'antichain-close-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const store = createFileObjects(join(root, 'backend'), { hasAttributes: false })
    const backend = await openBackend(store, {})
    await createEmptyCheckpoint(backend, id)
    const deployment = deploymentIdOf(id, 1)
    const begun = JSON.stringify({ deployment, command: 'up', message: '', startedAt: 1 })
    const stack = { createdAt: 1, version: 0, snapshot: '', deployments: 1 }
    const text = JSON.stringify({ header: { format: 1, deployment, stack, begun } })
    await putCopyPart(backend, id, { copyId: 'c', number: 0, text })
    const [copy] = await listJournalCopies(backend, id)
    if (copy === undefined) throw new Error('the copy does not exist')
    await fenceCopy(backend, id, copy, { host: 'here', pid: 1, at: 2 as EpochMs })
    const folder = join(root, 'copies')
    const closed: unknown[] = []
    const close = closeCopiedDeployment(
      {
        backend,
        folder,
        closeDeployment: async (platform, openDeployment) => {
          expect(existsSync(join(folder, 'c'))).toBe(true)
          closed.push((await platform.catalog.getStack(id))?.current === openDeployment)
          if (result === 'fails') throw new Error('no space')
        },
      },
      id,
      copy,
    )
    if (result === 'fails') await expect(close).rejects.toThrow('no space')
    else await close
    expect(closed).toEqual([true])
    expect(readdirSync(folder)).toEqual([])
  },
)
