/* FakeProgram.h: the sizes of the toy model, shared by its program and the tests that write its artifact. */
#ifndef ADZE_TEST_RUNTIME_FAKEPROGRAM_H
#define ADZE_TEST_RUNTIME_FAKEPROGRAM_H

enum {
  FAKE_VOCABULARY = 304, /* width of a row of logits */
  FAKE_LEGAL = 300,      /* ids from here up are padding of the table */
  FAKE_WIDTH = 8,        /* floats that K and V keep of a token */
  FAKE_PAGE = 8,         /* tokens of a page */
  FAKE_PAGE_BYTES = FAKE_PAGE * FAKE_WIDTH * 4,
  FAKE_CONTEXT = 512,
  FAKE_END = 256,              /* end token */
  FAKE_OTHER_END = 257,        /* a second one, known to the tokenizer alone */
  FAKE_KL = 258,               /* the text "KL" */
  FAKE_MN = 259,               /* the text "MN" */
  FAKE_UNUSED = 260,           /* an illegal id below FAKE_LEGAL */
  FAKE_STOP_STEP = 261,        /* makes the program stop the step */
  FAKE_POISON = 262,           /* makes its row of logits NaN */
  FAKE_ARGUMENT_BYTES = 20 * 8 /* the block that every kernel takes */
};

#endif
