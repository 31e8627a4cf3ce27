import { usePolled } from '../api/use-polled.ts'
import { useClient } from '../session/client-context.ts'
import { EmptyNote } from '../widgets/empty-note.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { PropertyList } from '../widgets/property-list.tsx'

/** Shows the outputs of a stack. The API hides their secrets. */
export function StackOutputs({ path, version }: { path: string; version: number }) {
  const { client } = useClient()
  const { value, failure } = usePolled({
    key: path,
    revision: version,
    intervalMs: 0,
    read: signal =>
      client.read<{ readonly outputs: Readonly<Record<string, unknown>> }>(
        `${path}/outputs`,
        signal,
      ),
  })
  if (failure !== undefined) return <FailureNote failure={failure} />
  if (value === undefined) return <LoadingRows label="Reading outputs" />
  if (Object.keys(value.outputs).length === 0)
    return (
      <EmptyNote title="This stack has no outputs">
        A program exports outputs for its users and for other stacks.
      </EmptyNote>
    )
  return (
    <div className="card padded">
      <PropertyList properties={value.outputs} />
    </div>
  )
}
