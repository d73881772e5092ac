// Anthropic's own SDK for JavaScript asks Nearloop: DOES ROOT TOKEN MODEL. Prints what it got as JSON.
import Anthropic from '@anthropic-ai/sdk'

const [does, root, token, model] = process.argv.slice(2)
const client = new Anthropic({ baseURL: root, authToken: token, apiKey: null, maxRetries: 0 })
const files = { a: 'alpha — "quoted"\n\tand ünïcode ✓', b: 'beta' }
const input_schema = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] }
const asked = { model, max_tokens: 200, messages: [{ role: 'user', content: 'What is in a and b?' }] }

const all = {
  messages: async () => {
    const types = new Set()
    for (;;) {
      const stream = client.messages.stream({ ...asked, tools: [{ name: 'read', input_schema }] })
      for await (const event of stream) types.add(event.type)
      const final = await stream.finalMessage()
      const calls = final.content.filter((block) => block.type === 'tool_use')
      if (!calls.length) return { content: final.content, types: [...types], usage: final.usage }
      const results = calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: files[call.input.file] }))
      asked.messages.push({ role: 'assistant', content: final.content }, { role: 'user', content: results })
    }
  },
  runner: async () => {
    const runner = client.beta.messages.toolRunner({
      ...asked,
      tools: [{ name: 'read', input_schema, run: ({ file }) => files[file] }],
    })
    return { content: (await runner).content }
  },
  models: async () => {
    const names = []
    for await (const each of client.models.list()) names.push(each.id)
    return names
  },
}
console.log(JSON.stringify(await all[does]()))
