"""Questions: one file each, with everything that is special about one; all interfaces are made from their registry.

``registry.registered()`` has all questions by name, the built-in ones first, then those that users register with
``@question``. A question is a frozen value that holds what it is asked with: ``Delta(ratio=2)``. Nothing outside its
file knows it by name. What serves all questions takes from it:

A method of models
    ``model.ask(question, neighbors=..., method=..., time_limit=..., progress=..., executor=...)``. The answer is a
    ``Bound`` whose ``question`` is the one that was asked.
A command
    Its name is ``name``, its help ``help()``. Every ``Field`` whose ``kind`` is not 'python' is an option:
    ``name``, ``help``, ``default`` or required. ``kind`` says what is typed: 'text'; 'texts', several with commas
    for one question; 'target' and 'distance', functions with names; 'flag'. Where ``each`` is not empty, commas
    separate values, each makes a question, and JSON lists the answers under that key. ``about_target`` questions
    take no neighbours. ``of_texts(texts)`` makes the question and refuses bad texts. A ``companion`` is asked too
    if ``--<its name>`` is given, and stands in JSON under its name. An option that is left out means ``usual``;
    names in ``named`` stand for values, and ``file.py:name`` for others. ``several_of(texts)`` makes the questions
    of a command.
The text of an answer
    One answer: a panel with ``rows(bound)``, green or red by ``good(bound)``, then ``tables(bound)``. Several
    answers: the table ``compared(label, bounds)``, JSON by ``recorded``, one picture by ``drawn``, each called
    ``short``. JSON is ``record(bound)``. ``besides(model, bound)`` is computed once the answer is shown.
    ``replayable(bound)`` is verified. Only questions with a ``layout`` have ``--save``, and ``unsaved()`` refuses
    those of them whose answers are not kept.
A section of a report
    For questions with a ``weight``, in the order of the registry: ``title``, the questions ``reported()`` (for
    ``about_target`` the one that the report was asked with), shown as above, and ``card(bound)`` at the top. Each of
    the ``variants``, the same question with other fields filled in, is a section too, and an entry of the menu.
A form on the page
    ``menu`` or ``title`` in the menu; a form field for every ``Field`` with a ``label``, with ``first`` in it. A
    text ``ratio=2`` in the form field of another name gives that field. The answer: ``headline(bound)``, ``rows``,
    ``tables`` or ``compared``, the picture with ``picture_title()``, and the pictures of the questions in
    ``beside``.
Snippets
    Python: ``program()``, by default ``model.<name>(<fields>)``, those with ``keyword`` by name. Command: ``taut
    <name> ... --<field> <text>``.
Claims and budgets
    ``limits()`` has the keywords with their words, ``claimed(given)`` gives requirements with ``words`` and
    ``verdict(model, **limits)``; ``budgeted(given)`` what ``calibrate`` requires; see ``claimed``.
Sweeps
    ``numbers(bound)``: keys for programs, headings for people, values; ``swept(bound)`` and ``color`` for the
    figure.
Files
    ``layout`` and the other names of ``saved``: what a file has, how its witness is evaluated again, and the
    sentences of ``taut explain``.
"""
