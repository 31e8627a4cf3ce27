import type { StoredDeployment } from './stored.ts'

/** The manifest of a stack without any deployment, with Go's zero time. */
export const emptyManifest = { time: '0001-01-01T00:00:00Z', magic: '', version: '' } as const

/** The stored state of a stack without any deployment. */
export const emptyDeployment: StoredDeployment = { manifest: emptyManifest, metadata: {} }
