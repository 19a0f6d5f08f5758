from prviz.quoting import every_name


def test_all_features_are_named_and_runs_of_numbers_are_one_entry() -> None:
    numbered = [f"f{place}" for place in range(512)]
    assert every_name(["age", *numbered, "seed"]) == "age, f0 to f511, seed"
    assert every_name(["pixel08", "pixel09", "pixel10"]) == "pixel08 to pixel10"
    assert every_name(["a1", "a2", "b3", "2", "c"]) == "a1, a2, b3, 2, c"
    assert every_name(["f0", "f1", "f2", "g3", "f3", "f5"]) == "f0 to f2, g3, f3, f5"
    assert every_name(["x\n", *"abc"], most=2) == "x\ufffd, a and 2 more"
    assert every_name([]) == ""
