import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RepliesPort, createGithubReplies, previewComment } from './github-replies.ts'
import { startReceiver } from './local-receiver.fixture.ts'

const commit = 'a'.repeat(40)
let receiver: Awaited<ReturnType<typeof startReceiver>>
let replies: RepliesPort
beforeAll(async () => {
  receiver = await startReceiver()
  const { outbound, origin } = receiver
  replies = createGithubReplies({ outbound, apiUrl: `${origin}/api/v3/`, token: 'the-token' })
})
afterAll(() => receiver.close())
beforeEach(() => {
  receiver.state.answer = () => ({ status: 201, body: '{"id":99}' })
})
const last = () => {
  const { method, url, headers, body } = receiver.received.at(-1) ?? { body: '{}', headers: {} }
  return { method, url, headers, value: JSON.parse(body) as unknown }
}

describe('answers on GitHub', () => {
  test('the status of a commit says how its deployment is', async () => {
    const told = { state: 'success', context: 'antichain/prod', description: '2 created' } as const
    await replies.status('acme/shop', commit, { ...told, url: 'https://a.test/x' })
    expect(last()).toMatchObject({
      method: 'POST',
      url: `/api/v3/repos/acme/shop/statuses/${commit}`,
      headers: { authorization: 'Bearer the-token', accept: 'application/vnd.github+json' },
      value: { ...told, target_url: 'https://a.test/x' },
    })
    await replies.status('acme/shop', commit, { ...told, description: 'ü\n'.repeat(200) })
    const { description } = last().value as { description: string }
    expect(description.length).toBeLessThanOrEqual(140)
    expect(description).not.toContain('\n')
  })

  test('a comment is made once and written over afterwards', async () => {
    expect(await replies.comment('acme/shop', 7, { text: 'first' })).toBe(99)
    expect(last()).toMatchObject({
      method: 'POST',
      url: '/api/v3/repos/acme/shop/issues/7/comments',
      value: { body: 'first' },
    })
    receiver.state.answer = () => ({ status: 200, body: '{"id":99}' })
    expect(await replies.comment('acme/shop', 7, { text: 'second', over: 99 })).toBe(99)
    expect(last()).toMatchObject({
      method: 'PATCH',
      url: '/api/v3/repos/acme/shop/issues/comments/99',
    })
  })

  test('a comment that somebody removed is made anew', async () => {
    receiver.state.answer = ({ method }) =>
      method === 'PATCH' ? { status: 404 } : { status: 201, body: '{"id":100}' }
    expect(await replies.comment('acme/shop', 7, { text: 'x', over: 99 })).toBe(100)
  })

  test.each([302, 401, 403, 404, 422, 500])('an answer of %i is an error', async status => {
    receiver.state.answer = () => ({ status, headers: { location: '/elsewhere' } })
    const failed = { code: 'OUTBOUND_FAILED', details: { status } }
    const told = { state: 'error', context: 'c', description: 'd' } as const
    const thrown = await replies.status('acme/shop', commit, told).catch((why: unknown) => why)
    expect(thrown).toMatchObject(failed)
    expect(String(thrown)).not.toContain('the-token')
    await expect(replies.comment('acme/shop', 7, { text: 'x' })).rejects.toMatchObject(failed)
  })

  test.each(['', '{}', '{"id":"x"}', 'no json'])('%j has no id of a comment', async body => {
    receiver.state.answer = () => ({ status: 201, body })
    await expect(replies.comment('acme/shop', 7, { text: 'x' })).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
    })
  })
})

describe('the comment about a preview', () => {
  test('shows its lines', () => {
    const text = previewComment({ stack: 'shop/prod', isGood: true, lines: ['+ a', '~ b'] })
    expect(text).toBe('Preview of `shop/prod` succeeded.\n\n```text\n+ a\n~ b\n```\n')
  })

  test('no line comes out of it or draws in it', () => {
    const lines = ['```', '````` @everyone', '\u001b[2J', 'a\r\n# Approved', '\u202e']
    const text = previewComment({ stack: 's`x', isGood: false, lines })
    const [, fence = ''] = /\n(`+)text\n/.exec(text) ?? []
    expect(fence).toHaveLength(6)
    const inside = text.slice(text.indexOf(`${fence}text\n`) + fence.length + 5, -fence.length - 2)
    expect(inside).not.toContain(fence)
    expect(inside.split('\n')).toHaveLength(lines.length)
    expect(text).not.toMatch(/[\u001b\r\u202e]/)
    expect(text.split('\n')[0]).toBe("Preview of `s'x` failed.")
  })

  test('a long one is cut', () => {
    const lines = Array.from({ length: 100 }, () => 'x'.repeat(1500))
    const text = previewComment({ stack: 's', isGood: true, lines })
    expect(text.length).toBeLessThan(60_000)
    expect(text).toContain('(cut here)')
  })
})
