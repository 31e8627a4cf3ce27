import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { githubApi } from './github-api.ts'
import { createHostReplies, type RepliesPort } from './host-replies.ts'
import { formatPreviewComment } from './preview-comment.ts'
import { startHttpReceiver } from '../outbound/local-receiver.fixture.ts'

const commit = 'a'.repeat(40)
let receiver: Awaited<ReturnType<typeof startHttpReceiver>>
let replies: RepliesPort
beforeAll(async () => {
  receiver = await startHttpReceiver()
  const { outbound, origin } = receiver
  const { replies: calls } = githubApi
  if (calls === undefined) throw new Error('githubApi has no reply calls')
  const apiUrl = `${origin}/api/v3/`
  replies = createHostReplies({ outbound, host: githubApi, calls, apiUrl, credential: 'the-token' })
})
afterAll(() => receiver.close())
beforeEach(() => {
  receiver.state.answer = () => ({ status: 201, body: '{"id":99}' })
})
const lastRequest = () => {
  const { method, url, headers, body } = receiver.received.at(-1) ?? { body: '{}', headers: {} }
  return { method, url, headers, value: JSON.parse(body) as unknown }
}

describe('replies on GitHub', () => {
  test('the status of a commit contains the result of its deployment', async () => {
    const content = {
      state: 'success',
      context: 'antichain/prod',
      description: '2 created',
    } as const
    await replies.setStatus('acme/shop', commit, content)
    expect(lastRequest()).toMatchObject({
      method: 'POST',
      url: `/api/v3/repos/acme/shop/statuses/${commit}`,
      headers: { authorization: 'Bearer the-token', accept: 'application/vnd.github+json' },
      value: content,
    })
    await replies.setStatus('acme/shop', commit, { ...content, description: 'ü\n'.repeat(200) })
    const { description } = lastRequest().value as { description: string }
    expect(description.length).toBeLessThanOrEqual(140)
    expect(description).not.toContain('\n')
  })

  test.each([302, 401, 403, 404, 422, 500])(
    'a response with the status %i is an error',
    async status => {
      receiver.state.answer = () => ({ status, headers: { location: '/elsewhere' } })
      const failed = { code: 'OUTBOUND_FAILED', details: { status } }
      const content = { state: 'error', context: 'c', description: 'd' } as const
      const thrown = await replies
        .setStatus('acme/shop', commit, content)
        .catch((why: unknown) => why)
      expect(thrown).toMatchObject(failed)
      expect(String(thrown)).not.toContain('the-token')
      const comment = replies.writeComment('acme/shop', 7, { text: 'x', subject: 's' })
      await expect(comment).rejects.toMatchObject(failed)
    },
  )
})

describe('a comment on GitHub', () => {
  /** The texts of the comments that GitHub stores, by their ids. */
  const storedComments = new Map<number, string>()
  /** The status with which GitHub refuses the change of a comment. Undefined: it accepts. */
  let refusalStatus: number | undefined
  beforeEach(() => {
    storedComments.clear()
    refusalStatus = undefined
    receiver.state.answer = ({ method, url, body }) => {
      if (method === 'GET') {
        const page = Number(/&page=(\d+)$/.exec(url)?.[1])
        const all = [...storedComments].map(([id, text]) => ({ id, body: text }))
        return { status: 200, body: JSON.stringify(all.slice((page - 1) * 50, page * 50)) }
      }
      if (method === 'PATCH' && refusalStatus !== undefined) return { status: refusalStatus }
      const id = method === 'PATCH' ? Number(/(\d+)$/.exec(url)?.[1]) : storedComments.size + 1
      storedComments.set(id, (JSON.parse(body) as { body: string }).body)
      return { status: method === 'PATCH' ? 200 : 201, body: JSON.stringify({ id }) }
    }
  })
  const write = (text: string, subject = 'shop/prod', number = 7) =>
    replies.writeComment('acme/shop', number, { text, subject })
  const listComments = () =>
    [...storedComments.values()].map(body => body.replace(/^<!--.*-->\n/, ''))

  test('is created once and updated afterwards, one for each stack', async () => {
    await write('first')
    await write('other', 'shop/dev')
    await write('second')
    expect(listComments()).toEqual(['second', 'other'])
    expect(receiver.received.at(-1)).toMatchObject({
      method: 'PATCH',
      url: '/api/v3/repos/acme/shop/issues/comments/1',
    })
    expect([...storedComments.values()].join()).not.toContain('the-token')
  })

  test('is found behind many other comments, and its quotes and copies are unchanged', async () => {
    for (let id = 1; id <= 120; id += 1) storedComments.set(id, `talk ${id}`)
    await write('first')
    const ownComment = storedComments.get(121) ?? ''
    storedComments.set(122, `> ${ownComment}`).set(123, ownComment)
    await write('second')
    expect(storedComments.get(121)).toContain('second')
    expect([storedComments.get(122), storedComments.get(123)]).toEqual([
      `> ${ownComment}`,
      ownComment,
    ])
  })

  // The fake GitHub lists the same comments for all pull requests, as if they had been copied.
  test('is not changed by a reply to another pull request, even if it was copied there', async () => {
    await write('first')
    const copiedComment = storedComments.get(1) ?? ''
    await write('second', 'shop/prod', 8)
    expect(storedComments.get(1)).toBe(copiedComment)
    expect(storedComments.size).toBe(2)
  })

  test.each([403, 404])(
    'whose change is refused with the status %i is created again',
    async status => {
      await write('first')
      refusalStatus = status
      await write('second')
      expect(listComments()).toEqual(['first', 'second'])
    },
  )

  test('is searched in a limited number of pages', async () => {
    for (let id = 1; id <= 1_500; id += 1) storedComments.set(id, 'talk')
    const before = receiver.received.length
    await write('first')
    // The requests are 20 pages (`commentPagesMax`) and the create.
    expect(receiver.received.length - before).toBe(21)
  })

  test.each(['', '{}', '[{"id":"x"}]', 'no json'])('%j is not a page of comments', async body => {
    receiver.state.answer = () => ({ status: 200, body })
    await expect(write('x')).rejects.toMatchObject({ code: 'OUTBOUND_FAILED' })
  })
})

describe('the comment on a preview', () => {
  test('contains its lines', () => {
    const text = formatPreviewComment({
      stack: 'shop/prod',
      commit,
      isSuccessful: true,
      lines: ['+ a', '~ b'],
    })
    expect(text).toBe('Preview of `shop/prod` at `aaaaaaaa` succeeded.\n\n```text\n+ a\n~ b\n```\n')
  })

  test('links to the page of the preview before its lines', () => {
    const targetUrl = 'https://deploy.test/#/stacks/shop/prod/plans/k'
    const comment = { stack: 's', commit, isSuccessful: true, lines: ['x'.repeat(90_000)] }
    const text = formatPreviewComment({ ...comment, targetUrl })
    expect(text.split('\n')[2]).toBe(
      `[Changes, forecast, policy findings and approval](${targetUrl})`,
    )
    expect(text.length).toBeLessThan(60_000)
  })

  test('prevents lines from leaving the code block or using control characters', () => {
    const lines = ['```', '````` @everyone', '\u001b[2J', 'a\r\n# Approved', '\u202e']
    const text = formatPreviewComment({ stack: 's`x', commit, isSuccessful: false, lines })
    const [, fence = ''] = /\n(`+)text\n/.exec(text) ?? []
    expect(fence).toHaveLength(6)
    const fencedText = text.slice(
      text.indexOf(`${fence}text\n`) + fence.length + 5,
      -fence.length - 2,
    )
    expect(fencedText).not.toContain(fence)
    expect(fencedText.split('\n')).toHaveLength(lines.length)
    expect(text).not.toMatch(/[\u001b\r\u202e]/)
    expect(text.split('\n')[0]).toBe("Preview of `s'x` at `aaaaaaaa` failed.")
  })

  test('is truncated when it is long', () => {
    const lines = Array.from({ length: 100 }, () => 'x'.repeat(1500))
    const text = formatPreviewComment({ stack: 's', commit, isSuccessful: true, lines })
    expect(text.length).toBeLessThan(60_000)
    expect(text).toContain('(cut here)')
  })
})
