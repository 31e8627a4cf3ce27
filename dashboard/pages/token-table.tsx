import { useMemo, useState } from 'react'
import type { ListPage, TokenPermissions } from '../api/api-views.ts'
import { readPages } from '../api/read-pages.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatCount } from '../format/format-count.ts'
import { useClient } from '../session/client-context.ts'
import { ConfirmButton } from '../widgets/confirm-button.tsx'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { AgeText } from '../widgets/time-text.tsx'
import { useNow } from '../widgets/use-now.ts'
import { type TableColumn, VirtualTable } from '../widgets/virtual-table.tsx'

interface ShownToken extends TokenPermissions {
  readonly id: string
  readonly createdAt: number
  readonly expiresAt?: number
}

const pollMs = 10_000
/** Maximum number of pages of tokens that are read. */
const pagesMax = 50

/** Shows the tokens of the installation without their secrets, and revokes them. */
export function TokenTable() {
  const { client } = useClient()
  const nowMs = useNow(30_000)
  const [openId, setOpenId] = useState<string>()
  const {
    value: tokens,
    failure,
    reload,
  } = usePolled({
    key: 'tokens',
    intervalMs: pollMs,
    read: async signal => {
      const options = { signal, pagesMax }
      const pages = await readPages<ListPage<ShownToken>>(client, '/v1/tokens', options)
      return pages.flatMap(({ items }) => items)
    },
  })
  const columns = useMemo(() => createColumns(nowMs), [nowMs])
  if (tokens === undefined)
    return failure === undefined ? (
      <LoadingRows label="Reading the tokens" />
    ) : (
      <FailureNote failure={failure} />
    )
  const openToken = tokens.find(({ id }) => id === openId)
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      <div className="table-tools">
        <p className="page-note" role="status">
          {formatCount(tokens.length, 'token')}. Select one to revoke it.
        </p>
        {openToken === undefined ? null : (
          <ConfirmButton
            label={`Revoke ${openToken.name}…`}
            title={`Revoke the token ${openToken.name}?`}
            action="Revoke token"
            isDanger
            run={async () => {
              await client.remove(`/v1/tokens/${openToken.id}`)
              reload()
            }}
          >
            <p>
              Its holders are refused from now on, and their streams end within seconds. Running
              deployments continue. A revoked token cannot be restored.
            </p>
          </ConfirmButton>
        )}
      </div>
      <VirtualTable
        label="Tokens"
        className="tokens-table"
        columns={columns}
        rows={tokens}
        keyOf={({ id }) => id}
        onOpen={({ id }) => setOpenId(id === openId ? undefined : id)}
        openKey={openId}
      />
    </>
  )
}

function createColumns(nowMs: number): readonly TableColumn<ShownToken>[] {
  return [
    { name: 'name', header: 'Name', show: ({ name }) => <b>{name}</b>, sortBy: ({ name }) => name },
    {
      name: 'role',
      header: 'Role',
      show: ({ role }) => <span className="tag">{role}</span>,
      sortBy: ({ role }) => role,
    },
    {
      name: 'stacks',
      header: 'Stacks',
      show: ({ stacks }) => (stacks === '*' ? 'all' : stacks.join(', ')),
      sortBy: ({ stacks }) => (stacks === '*' ? '' : stacks.join(', ')),
    },
    {
      name: 'created',
      header: 'Created',
      show: ({ createdAt }) => <AgeText timeMs={createdAt} nowMs={nowMs} />,
      sortBy: ({ createdAt }) => createdAt,
    },
    {
      name: 'expires',
      header: 'Expires',
      show: ({ expiresAt }) => expiryTextOf(expiresAt, nowMs),
      sortBy: ({ expiresAt }) => expiresAt,
    },
    { name: 'id', header: 'ID', show: ({ id }) => <span className="code">{id}</span> },
  ]
}

const dayMs = 86_400_000

function expiryTextOf(expiresAt: number | undefined, nowMs: number): string {
  if (expiresAt === undefined) return 'never'
  if (expiresAt <= nowMs) return 'expired'
  const days = Math.floor((expiresAt - nowMs) / dayMs)
  return days === 0 ? 'today' : `in ${formatCount(days, 'day')}`
}
