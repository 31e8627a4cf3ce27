import type { StoredDeployment } from './stored.ts'
export function verifyIntegrity(_deployment: StoredDeployment): string | undefined { return undefined }
