import { expect, test } from 'vitest'
import { deploymentIdOf, stackIdOf } from '../../shared/records/ids.ts'
import { isBlobSweepDue } from './prune.ts'

const stack = stackIdOf('shop', 'dev')

test('a sweep of blobs is due after the removal of a version whose number is a multiple of twenty', () => {
  const dueVersions = Array.from({ length: 60 }, (_, index) => index + 1).filter(version =>
    isBlobSweepDue({ deployments: [], removedVersions: [{ stack, versions: [version] }] }),
  )
  expect(dueVersions).toEqual([20, 40, 60])
  const removedVersions = [{ stack, versions: [22, 21, 20, 19] }]
  expect(isBlobSweepDue({ deployments: [], removedVersions })).toBe(true)
})

test('a sweep of blobs is due after the removal of a deployment, and not without a removal', () => {
  const deployments = [deploymentIdOf(stack, 3)]
  expect(isBlobSweepDue({ deployments, removedVersions: [] })).toBe(true)
  expect(isBlobSweepDue({ deployments: [], removedVersions: [] })).toBe(false)
})
