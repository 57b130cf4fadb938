// Tests which role the class names and the id of an element suggest.
import assert from 'node:assert/strict'
import test from 'node:test'
import { firstWords } from './first-words.ts'
import { Names } from './names.ts'

test('an id and a class with the same name have the same role, however the words of the name are joined', () => {
  const names = new Names()
  const roles = {
    share: ['shareThis', 'share_this', 'post-share-bar', 'sharethis'],
    related: ['relatedStories', 'moreFrom', 'recommended'],
    newsletter: ['cta3', 'CTA', 'newsLetterSignup'],
    footer: ['copy_right', 'siteFooter'],
    caption: ['wpCaptionText'],
    navigation: ['no-print', 'd-print-none', 'hiddenPrint', 'site-sub', 'languageSwitcher', 'Füßnav'],
    none: ['getX(int)', 'MXBeanNames', 'x', 'lang.String', 'sharepoint'],
  }
  for (const [role, alike] of Object.entries(roles))
    for (const name of alike)
      assert.deepEqual([names.roleOfId(name).role, names.roleOf(name).role], [role, role], name)
})

test('the first words of a pattern include every alternative of its groups, its character classes and its optional parts', () => {
  const words = firstWords('share-?(?:this|bars?)|cta\\d?|[ao]d|stor(?:y|i(?:es|a))|news-?(?:let)?')
  const expected = 'share sharethis sharebar sharebars cta ad od story stories storia news newslet'.split(' ')
  assert.deepEqual([...words].filter(word => !/\d/.test(word)).sort(), expected.sort())
  assert.equal(words.size, expected.length + 10)
})
