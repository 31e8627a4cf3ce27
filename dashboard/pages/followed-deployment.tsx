import { useEffect } from 'react'
import type { OperationRow } from '../deployment/operation-row.ts'
import { useDeployment } from '../deployment/use-deployment.ts'
import { isGone } from './gone-note.tsx'

interface FollowedDeploymentProps {
  /** The path of the deployment in the API. */
  path: string
  /** Called with the operations after each change, and with undefined on unmount. */
  onChange: (operations: readonly OperationRow[] | undefined) => void
}

/** Follows the events of an open deployment, and shows nothing. */
export function FollowedDeployment({ path, onChange }: FollowedDeploymentProps) {
  const { rows } = useDeployment(path, isGone).progress
  useEffect(() => onChange(rows), [rows, onChange])
  useEffect(() => () => onChange(undefined), [onChange])
  return null
}
